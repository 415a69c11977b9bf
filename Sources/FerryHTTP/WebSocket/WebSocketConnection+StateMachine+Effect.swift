extension WebSocketConnection.StateMachine {
    /// What the caller must do, in the order given.
    enum Effect: Equatable {
        case connect(WebSocketRequest)
        /// Send the request.
        case upgrade(WebSocketRequest)
        case disconnect
        /// Send an empty close frame as far as that needs no waiting.
        case takeLeave
        case opened(HTTPResponseHead, protocol: String?)
        /// Ask the owner what to do about what is no upgrade.
        case askAbout(WebSocketConnection.Refusal)
        /// Give the message to the receiver that has waited longest.
        case deliver(WebSocketMessage)
        case failReceivers(WebSocketError)
        /// What was asked for by this number is done, or will not be.
        case complete(UInt64, WebSocketError?)
        case report(WebSocketConnection.End)
        case armTimer(after: Duration)
        case cancelTimer
        /// What is wanted of the connection may have changed.
        case proceed
    }

    /// A frame with the number of the call that waits until it is sent.
    struct Outgoing: Equatable {
        var frame: WebSocketFrame
        var number: UInt64?
    }
}
