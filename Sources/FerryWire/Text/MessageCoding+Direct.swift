import FoundationEssentials

extension MessageCoding {
    /// A call's message.
    static func message<Parameters>(
        calling call: CallMessage<Parameters>
    ) throws(MessageError) -> [UInt8] {
        guard call.more == nil, call.oneway == nil,
            let parameters = call.parameters as? any DirectlyCoded,
            let message = directMessage({ output in
                output.name("method")
                output.string(call.method)
                output.name("parameters")
                parameters.write(to: &output)
            })
        else { return try message(call) }
        return message
    }

    /// A reply's message.
    static func message<Parameters>(
        replying reply: ReplyMessage<Parameters>
    ) throws(MessageError) -> [UInt8] {
        guard let parameters = reply.parameters as? any DirectlyCoded,
            let message = directMessage({ output in
                output.name("parameters")
                parameters.write(to: &output)
                guard let continues = reply.continues else { return }
                output.name("continues")
                output.bool(continues)
            })
        else { return try message(reply) }
        return message
    }

    /// The call in a message.
    static func call(from text: Data) throws(MessageError) -> IncomingCall {
        if let call = JSONInput.read(text, IncomingCall.init) { return call }
        return try decode(from: text)
    }

    /// The reply in a message.
    static func reply<Value>(from text: Data) throws(MessageError) -> IncomingReply<Value> {
        if let type = Value.self as? any DirectlyCoded.Type,
            let reply = JSONInput.read(
                text,
                { input throws(JSONInput.Unusual) in
                    try directReply(as: type, from: &input)
                }
            ), let value = reply.parameters as? Value
        {
            return IncomingReply(result: .success(value), continues: reply.continues)
        }
        return try decode(from: text)
    }

    private static func directMessage(_ members: (inout JSONOutput) -> Void) -> [UInt8]? {
        var output = JSONOutput()
        output.object(members)
        return output.isValid ? output.bytes + [0] : nil
    }

    private static func directReply<Value: DirectlyCoded>(
        as type: Value.Type,
        from input: inout JSONInput
    ) throws(JSONInput.Unusual) -> (parameters: any DirectlyCoded, continues: Bool) {
        var value: Value?
        var continues: Bool?
        try input.object { (input, member) throws(JSONInput.Unusual) in
            if member.matches("parameters") {
                try input.once(&value, try Value(from: &input))
            } else if member.matches("continues") {
                try input.once(&continues, try input.bool())
            } else {
                throw JSONInput.Unusual()
            }
        }
        return (try JSONInput.required(value), continues ?? false)
    }
}
