/// How the calls of one method are read.
struct CallDecoding: Sendable {
    /// The method's name as it stands in messages.
    let method: String
    /// Whether a call makes sense only as a stream.
    let requiresMore: Bool
    /// Reads the parameters of a message.
    let decode:
        @Sendable (KeyedDecodingContainer<IncomingCall.CodingKeys>) throws ->
            IncomingCall.CallFactory

    /// Reads calls of the method that `make` takes.
    init<Method: TransferMethod>(
        _ make: @escaping @Sendable (Method, Reply<Method>) -> TransferCall
    ) {
        method = Method.qualifiedName
        requiresMore = Method.requiresMore
        decode = { container in
            let parameters: Method = try container.decodeParameters(forKey: .parameters)
            return { call in make(parameters, Reply(call)) }
        }
    }
}
