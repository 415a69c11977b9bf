extension IncomingCall {
    /// Reads a call of one of the methods that are called most, if nothing about it is unusual.
    init(from input: inout JSONInput) throws(JSONInput.Unusual) {
        var method: DirectCall?
        var factory: CallFactory?
        try input.object { (input, member) throws(JSONInput.Unusual) in
            if member.matches("method") {
                let name = try input.name()
                let found = DirectCall.all.first { name.matches($0.method) }
                try input.once(&method, try JSONInput.required(found))
            } else if member.matches("parameters") {
                // How to read them is known when the method comes first, as it does as a rule.
                let method = try JSONInput.required(method)
                try input.once(&factory, try method.read(&input))
            } else {
                throw JSONInput.Unusual()
            }
        }
        self.init(
            content: .transfer(try JSONInput.required(factory)),
            wantsMore: false,
            isOneway: false
        )
    }
}

/// How the calls of a method are read that are among the most.
private struct DirectCall: Sendable {
    static let all = [
        DirectCall(TransferCall.createDownload), DirectCall(TransferCall.acknowledge),
    ]

    /// The method's name as it stands in messages.
    let method: [UInt8]
    /// Reads the parameters of a message.
    let read: @Sendable (inout JSONInput) throws(JSONInput.Unusual) -> IncomingCall.CallFactory

    init<Method: TransferMethod & DirectlyCoded>(
        _ make: @escaping @Sendable (Method, Reply<Method>) -> TransferCall
    ) {
        method = Array(Method.qualifiedName.utf8)
        read = { (input) throws(JSONInput.Unusual) in
            let parameters = try Method(from: &input)
            return { call in make(parameters, Reply(call)) }
        }
    }
}
