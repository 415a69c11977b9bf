import FoundationEssentials

extension Wire.Response: DirectlyCoded {
    func write(to output: inout JSONOutput) {
        output.object { output in
            output.name("url")
            output.string(url)
            output.name("status")
            output.integer(status)
            output.name("version")
            output.string(version)
            output.name("fields")
            output.array(fields) { output, field in field.write(to: &output) }
        }
    }

    init(from input: inout JSONInput) throws(JSONInput.Unusual) {
        var url: String?
        var status: Int?
        var version: String?
        var fields: [Wire.Field]?
        try input.object { (input, member) throws(JSONInput.Unusual) in
            if member.matches("url") {
                try input.once(&url, try input.string())
            } else if member.matches("status") {
                try input.once(&status, try input.integer())
            } else if member.matches("version") {
                try input.once(&version, try input.string())
            } else if member.matches("fields") {
                let value = try input.array { input throws(JSONInput.Unusual) in
                    try Wire.Field(from: &input)
                }
                try input.once(&fields, value)
            } else {
                throw JSONInput.Unusual()
            }
        }
        self.init(
            url: try JSONInput.required(url),
            status: try JSONInput.required(status),
            version: try JSONInput.required(version),
            fields: try JSONInput.required(fields)
        )
    }
}

extension Wire.Failure: DirectlyCoded {
    func write(to output: inout JSONOutput) {
        output.object { output in
            output.name("code")
            output.string(code)
            output.name("message")
            output.string(message)
        }
    }

    init(from input: inout JSONInput) throws(JSONInput.Unusual) {
        var code: String?
        var message: String?
        try input.object { (input, member) throws(JSONInput.Unusual) in
            if member.matches("code") {
                try input.once(&code, try input.string())
            } else if member.matches("message") {
                try input.once(&message, try input.string())
            } else {
                throw JSONInput.Unusual()
            }
        }
        self.init(code: try JSONInput.required(code), message: try JSONInput.required(message))
    }
}

extension Wire.EventKind {
    fileprivate init(from input: inout JSONInput) throws(JSONInput.Unusual) {
        guard let kind = Self(rawValue: try input.string()) else { throw JSONInput.Unusual() }
        self = kind
    }
}

extension Wire.Event: DirectlyCoded {
    func write(to output: inout JSONOutput) {
        // Questions are rare.
        guard question == nil, challenge == nil else { return output.leaveToEncoder() }
        output.object { output in
            output.name("kind")
            output.string(kind.rawValue)
            output.integer("sequence", sequence)
            output.integer("task", task)
            if let response {
                output.name("response")
                response.write(to: &output)
            }
            if let request {
                output.name("request")
                request.write(to: &output)
            }
            output.integer("offset", offset)
            output.integer("receivedByteCount", receivedByteCount)
            output.integer("expectedByteCount", expectedByteCount)
            output.integer("sentByteCount", sentByteCount)
            if let path {
                output.name("path")
                output.string(path)
            }
            if let failure {
                output.name("failure")
                failure.write(to: &output)
            }
            if let resumeData {
                output.name("resumeData")
                output.data(resumeData)
            }
            if let resumeDataRefusal {
                output.name("resumeDataRefusal")
                output.string(resumeDataRefusal)
            }
            output.integer("cancelReason", cancelReason)
            if let metrics {
                output.name("metrics")
                metrics.write(to: &output)
            }
        }
    }

    init(from input: inout JSONInput) throws(JSONInput.Unusual) {
        var kind: Wire.EventKind?
        // Its kind is put right when all members are read.
        var event = Self(kind: .drained)
        // One with resume data, or a question, is rare.
        try input.object { (input, member) throws(JSONInput.Unusual) in
            if member.matches("kind") {
                try input.once(&kind, try Wire.EventKind(from: &input))
            } else {
                try event.read(member, from: &input)
            }
        }
        event.kind = try JSONInput.required(kind)
        self = event
    }

    private mutating func read(
        _ member: JSONInput.Name,
        from input: inout JSONInput
    ) throws(JSONInput.Unusual) {
        if member.matches("sequence") {
            try input.once(&sequence, Int64(try input.integer()))
        } else if member.matches("task") {
            try input.once(&task, try input.integer())
        } else if member.matches("response") {
            try input.once(&response, try Wire.Response(from: &input))
        } else if member.matches("request") {
            try input.once(&request, try Wire.Request(from: &input))
        } else if member.matches("offset") {
            try input.once(&offset, Int64(try input.integer()))
        } else if member.matches("receivedByteCount") {
            try input.once(&receivedByteCount, Int64(try input.integer()))
        } else if member.matches("expectedByteCount") {
            try input.once(&expectedByteCount, Int64(try input.integer()))
        } else if member.matches("sentByteCount") {
            try input.once(&sentByteCount, Int64(try input.integer()))
        } else if member.matches("path") {
            try input.once(&path, try input.string())
        } else if member.matches("failure") {
            try input.once(&failure, try Wire.Failure(from: &input))
        } else if member.matches("resumeDataRefusal") {
            try input.once(&resumeDataRefusal, try input.string())
        } else if member.matches("cancelReason") {
            try input.once(&cancelReason, try input.integer())
        } else if member.matches("metrics") {
            try input.once(&metrics, try Wire.TaskMetrics(from: &input))
        } else {
            throw JSONInput.Unusual()
        }
    }
}

extension Wire.Subscribe.Reply: DirectlyCoded {
    func write(to output: inout JSONOutput) {
        output.object { output in
            output.name("event")
            event.write(to: &output)
        }
    }

    init(from input: inout JSONInput) throws(JSONInput.Unusual) {
        var event: Wire.Event?
        try input.object { (input, member) throws(JSONInput.Unusual) in
            guard member.matches("event") else { throw JSONInput.Unusual() }
            try input.once(&event, try Wire.Event(from: &input))
        }
        self.init(event: try JSONInput.required(event))
    }
}
