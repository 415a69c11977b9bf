import FoundationEssentials

extension Wire.Field: DirectlyCoded {
    func write(to output: inout JSONOutput) {
        output.object { output in
            output.name("name")
            output.string(name)
            output.name("value")
            output.string(value)
        }
    }

    init(from input: inout JSONInput) throws(JSONInput.Unusual) {
        var name: String?
        var value: String?
        try input.object { (input, member) throws(JSONInput.Unusual) in
            if member.matches("name") {
                try input.once(&name, try input.string())
            } else if member.matches("value") {
                try input.once(&value, try input.string())
            } else {
                throw JSONInput.Unusual()
            }
        }
        self.init(name: try JSONInput.required(name), value: try JSONInput.required(value))
    }
}

extension Wire.Request: DirectlyCoded {
    func write(to output: inout JSONOutput) {
        // In the order of their names, in which the daemon keeps requests.
        output.object { output in
            if let body {
                output.name("body")
                output.data(body)
            }
            output.name("fields")
            output.array(fields) { output, field in field.write(to: &output) }
            output.name("idleTimeout")
            output.number(idleTimeout)
            if let madeFor {
                output.name("madeFor")
                output.string(madeFor)
            }
            output.name("method")
            output.string(method)
            output.name("url")
            output.string(url)
        }
    }

    init(from input: inout JSONInput) throws(JSONInput.Unusual) {
        var fields: [Wire.Field]?
        var idleTimeout: Double?
        var method: String?
        var url: String?
        // One with a body, or of another address than its task's, is rare.
        try input.object { (input, member) throws(JSONInput.Unusual) in
            if member.matches("fields") {
                let value = try input.array { input throws(JSONInput.Unusual) in
                    try Wire.Field(from: &input)
                }
                try input.once(&fields, value)
            } else if member.matches("idleTimeout") {
                try input.once(&idleTimeout, try input.number())
            } else if member.matches("method") {
                try input.once(&method, try input.string())
            } else if member.matches("url") {
                try input.once(&url, try input.string())
            } else {
                throw JSONInput.Unusual()
            }
        }
        self.init(
            url: try JSONInput.required(url),
            method: try JSONInput.required(method),
            fields: try JSONInput.required(fields),
            idleTimeout: try JSONInput.required(idleTimeout)
        )
    }
}

extension Wire.CreateDownload: DirectlyCoded {
    func write(to output: inout JSONOutput) {
        // One that begins later, or is carried out in a way of its own, is rare.
        guard earliestBegin == nil, options == nil else { return output.leaveToEncoder() }
        output.object { output in
            output.name("session")
            output.integer(session)
            output.name("identifier")
            output.integer(identifier)
            output.name("request")
            request.write(to: &output)
            if let resumeData {
                output.name("resumeData")
                output.data(resumeData)
            }
            if let description {
                output.name("description")
                output.string(description)
            }
            output.name("priority")
            output.number(priority)
            if let resumed {
                output.name("resumed")
                output.bool(resumed)
            }
        }
    }

    init(from input: inout JSONInput) throws(JSONInput.Unusual) {
        var session: Int?
        var identifier: Int?
        var request: Wire.Request?
        var description: String?
        var priority: Double?
        var resumed: Bool?
        // One with resume data or options, or that begins later, is rare.
        try input.object { (input, member) throws(JSONInput.Unusual) in
            if member.matches("session") {
                try input.once(&session, try input.integer())
            } else if member.matches("identifier") {
                try input.once(&identifier, try input.integer())
            } else if member.matches("request") {
                try input.once(&request, try Wire.Request(from: &input))
            } else if member.matches("description") {
                try input.once(&description, try input.string())
            } else if member.matches("priority") {
                try input.once(&priority, try input.number())
            } else if member.matches("resumed") {
                try input.once(&resumed, try input.bool())
            } else {
                throw JSONInput.Unusual()
            }
        }
        self.init(
            session: Int64(try JSONInput.required(session)),
            identifier: try JSONInput.required(identifier),
            request: try JSONInput.required(request),
            description: description,
            priority: try JSONInput.required(priority),
            resumed: resumed
        )
    }
}

extension Wire.CreateDownload.Reply: DirectlyCoded {
    func write(to output: inout JSONOutput) {
        output.object { output in
            output.name("id")
            output.integer(id)
        }
    }

    init(from input: inout JSONInput) throws(JSONInput.Unusual) {
        var id: Int?
        try input.object { (input, member) throws(JSONInput.Unusual) in
            guard member.matches("id") else { throw JSONInput.Unusual() }
            try input.once(&id, try input.integer())
        }
        self.init(id: Int64(try JSONInput.required(id)))
    }
}

extension Wire.Acknowledge: DirectlyCoded {
    func write(to output: inout JSONOutput) {
        output.object { output in
            output.name("session")
            output.integer(session)
            output.name("sequence")
            output.integer(sequence)
        }
    }

    init(from input: inout JSONInput) throws(JSONInput.Unusual) {
        var session: Int?
        var sequence: Int?
        try input.object { (input, member) throws(JSONInput.Unusual) in
            if member.matches("session") {
                try input.once(&session, try input.integer())
            } else if member.matches("sequence") {
                try input.once(&sequence, try input.integer())
            } else {
                throw JSONInput.Unusual()
            }
        }
        self.init(
            session: Int64(try JSONInput.required(session)),
            sequence: Int64(try JSONInput.required(sequence))
        )
    }
}

extension Wire.Empty: DirectlyCoded {
    func write(to output: inout JSONOutput) { output.object { _ in } }

    init(from input: inout JSONInput) throws(JSONInput.Unusual) {
        try input.object { (_, _) throws(JSONInput.Unusual) in throw JSONInput.Unusual() }
        self.init()
    }
}
