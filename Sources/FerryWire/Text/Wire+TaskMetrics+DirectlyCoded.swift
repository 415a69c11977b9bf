import FoundationEssentials

// Dates are seconds since 1970, as everywhere in the interface.

extension Wire.Transaction: DirectlyCoded {
    func write(to output: inout JSONOutput) {
        output.object { output in
            output.name("isLast")
            output.bool(isLast)
            if let request {
                output.name("request")
                request.write(to: &output)
            }
            if let response {
                output.name("response")
                response.write(to: &output)
            }
            output.name("started")
            output.number(started.timeIntervalSince1970)
            writePhases(to: &output)
            output.name("isReusedConnection")
            output.bool(isReusedConnection)
            writeConnection(to: &output)
            writeCounts(to: &output)
        }
    }

    private func writePhases(to output: inout JSONOutput) {
        output.number("lookupStart", lookupStart)
        output.number("lookupEnd", lookupEnd)
        output.number("connectStart", connectStart)
        output.number("secureConnectStart", secureConnectStart)
        output.number("secureConnectEnd", secureConnectEnd)
        output.number("connectEnd", connectEnd)
        output.number("requestStart", requestStart)
        output.number("requestEnd", requestEnd)
        output.number("responseStart", responseStart)
        output.number("responseEnd", responseEnd)
    }

    private func writeConnection(to output: inout JSONOutput) {
        output.string("localAddress", localAddress)
        output.integer("localPort", localPort)
        output.string("remoteAddress", remoteAddress)
        output.integer("remotePort", remotePort)
        output.integer("tlsVersion", tlsVersion)
        output.integer("tlsCipherSuite", tlsCipherSuite)
        output.string("version", version)
    }

    private func writeCounts(to output: inout JSONOutput) {
        output.integer("sentHeaderByteCount", sentHeaderByteCount)
        output.integer("sentBodyByteCount", sentBodyByteCount)
        output.integer("receivedHeaderByteCount", receivedHeaderByteCount)
        output.integer("receivedBodyByteCount", receivedBodyByteCount)
        output.integer("decodedBodyByteCount", decodedBodyByteCount)
    }

    init(from input: inout JSONInput) throws(JSONInput.Unusual) {
        var isLast: Bool?
        var started: Double?
        var isReused: Bool?
        var counts = Counts()
        var transaction = Self(started: .distantPast)
        try input.object { (input, member) throws(JSONInput.Unusual) in
            if member.matches("isLast") {
                try input.once(&isLast, try input.bool())
            } else if member.matches("started") {
                try input.once(&started, try input.number())
            } else if member.matches("isReusedConnection") {
                try input.once(&isReused, try input.bool())
            } else if try !transaction.readPhase(member, from: &input),
                try !counts.read(member, from: &input)
            {
                try transaction.read(member, from: &input)
            }
        }
        transaction.isLast = try JSONInput.required(isLast)
        transaction.started = Date(timeIntervalSince1970: try JSONInput.required(started))
        transaction.isReusedConnection = try JSONInput.required(isReused)
        try counts.set(&transaction)
        self = transaction
    }

    private mutating func readPhase(
        _ member: JSONInput.Name,
        from input: inout JSONInput
    ) throws(JSONInput.Unusual) -> Bool {
        if member.matches("lookupStart") {
            try input.once(&lookupStart, try input.number())
        } else if member.matches("lookupEnd") {
            try input.once(&lookupEnd, try input.number())
        } else if member.matches("connectStart") {
            try input.once(&connectStart, try input.number())
        } else if member.matches("secureConnectStart") {
            try input.once(&secureConnectStart, try input.number())
        } else if member.matches("secureConnectEnd") {
            try input.once(&secureConnectEnd, try input.number())
        } else if member.matches("connectEnd") {
            try input.once(&connectEnd, try input.number())
        } else if member.matches("requestStart") {
            try input.once(&requestStart, try input.number())
        } else if member.matches("requestEnd") {
            try input.once(&requestEnd, try input.number())
        } else if member.matches("responseStart") {
            try input.once(&responseStart, try input.number())
        } else if member.matches("responseEnd") {
            try input.once(&responseEnd, try input.number())
        } else {
            return false
        }
        return true
    }

    private mutating func read(
        _ member: JSONInput.Name,
        from input: inout JSONInput
    ) throws(JSONInput.Unusual) {
        if member.matches("request") {
            try input.once(&request, try Wire.Request(from: &input))
        } else if member.matches("response") {
            try input.once(&response, try Wire.Response(from: &input))
        } else if member.matches("localAddress") {
            try input.once(&localAddress, try input.string())
        } else if member.matches("localPort") {
            try input.once(&localPort, try input.integer())
        } else if member.matches("remoteAddress") {
            try input.once(&remoteAddress, try input.string())
        } else if member.matches("remotePort") {
            try input.once(&remotePort, try input.integer())
        } else if member.matches("tlsVersion") {
            try input.once(&tlsVersion, try input.integer())
        } else if member.matches("tlsCipherSuite") {
            try input.once(&tlsCipherSuite, try input.integer())
        } else if member.matches("version") {
            try input.once(&version, try input.string())
        } else {
            throw JSONInput.Unusual()
        }
    }
}

/// The counts of a transaction, which are all there or the decoder says what is missing.
private struct Counts {
    private var sentHeaderByteCount: Int64?
    private var sentBodyByteCount: Int64?
    private var receivedHeaderByteCount: Int64?
    private var receivedBodyByteCount: Int64?
    private var decodedBodyByteCount: Int64?

    mutating func read(
        _ member: JSONInput.Name,
        from input: inout JSONInput
    ) throws(JSONInput.Unusual) -> Bool {
        if member.matches("sentHeaderByteCount") {
            try input.once(&sentHeaderByteCount, Int64(try input.integer()))
        } else if member.matches("sentBodyByteCount") {
            try input.once(&sentBodyByteCount, Int64(try input.integer()))
        } else if member.matches("receivedHeaderByteCount") {
            try input.once(&receivedHeaderByteCount, Int64(try input.integer()))
        } else if member.matches("receivedBodyByteCount") {
            try input.once(&receivedBodyByteCount, Int64(try input.integer()))
        } else if member.matches("decodedBodyByteCount") {
            try input.once(&decodedBodyByteCount, Int64(try input.integer()))
        } else {
            return false
        }
        return true
    }

    func set(_ transaction: inout Wire.Transaction) throws(JSONInput.Unusual) {
        transaction.sentHeaderByteCount = try JSONInput.required(sentHeaderByteCount)
        transaction.sentBodyByteCount = try JSONInput.required(sentBodyByteCount)
        transaction.receivedHeaderByteCount = try JSONInput.required(receivedHeaderByteCount)
        transaction.receivedBodyByteCount = try JSONInput.required(receivedBodyByteCount)
        transaction.decodedBodyByteCount = try JSONInput.required(decodedBodyByteCount)
    }
}

extension Wire.TaskMetrics: DirectlyCoded {
    func write(to output: inout JSONOutput) {
        output.object { output in
            output.name("started")
            output.number(started.timeIntervalSince1970)
            output.name("ended")
            output.number(ended.timeIntervalSince1970)
            output.integer("redirectCount", redirectCount)
            output.name("transactions")
            output.array(transactions) { output, one in one.write(to: &output) }
        }
    }

    init(from input: inout JSONInput) throws(JSONInput.Unusual) {
        var started: Double?
        var ended: Double?
        var redirectCount: Int?
        var transactions: [Wire.Transaction]?
        try input.object { (input, member) throws(JSONInput.Unusual) in
            if member.matches("started") {
                try input.once(&started, try input.number())
            } else if member.matches("ended") {
                try input.once(&ended, try input.number())
            } else if member.matches("redirectCount") {
                try input.once(&redirectCount, try input.integer())
            } else if member.matches("transactions") {
                let value = try input.array { input throws(JSONInput.Unusual) in
                    try Wire.Transaction(from: &input)
                }
                try input.once(&transactions, value)
            } else {
                throw JSONInput.Unusual()
            }
        }
        self.init(
            started: Date(timeIntervalSince1970: try JSONInput.required(started)),
            ended: Date(timeIntervalSince1970: try JSONInput.required(ended)),
            redirectCount: try JSONInput.required(redirectCount),
            transactions: try JSONInput.required(transactions)
        )
    }
}
