import FerrySystem

/// The route from the name of a method to its implementation.
struct TransferRoute: Sendable {
    /// A call with its parameters.
    struct Call: Sendable {
        /// Whether it makes sense only as a stream.
        let requiresMore: Bool
        /// Has a service carry it out; without one, the reply is released, which answers it.
        let perform:
            @LoopActor @Sendable (
                (any TransferService)?, PendingCall, VarlinkConnection
            ) -> Void
    }

    /// The routes to the methods, by the methods' names as they appear in messages.
    static let byMethod = Dictionary(uniqueKeysWithValues: all.map { ($0.method, $0) })

    /// The method's name as it appears in messages.
    let method: String
    /// Reads the parameters of a call.
    let read: @Sendable (inout JSONInput) throws(JSONInput.Problem) -> Call

    /// Creates the route to a method of a service.
    init<Method: TransferMethod>(
        _ perform:
            @escaping @LoopActor @Sendable (any TransferService, MethodCall<Method>) -> Void
    ) {
        method = Method.qualifiedName
        read = { (input) throws(JSONInput.Problem) in
            let parameters = try Method(from: &input)
            return Call(requiresMore: Method.requiresMore) { service, call, connection in
                let call = MethodCall(
                    parameters: parameters,
                    reply: Reply(call),
                    connection: connection
                )
                if let service { perform(service, call) }
            }
        }
    }
}
