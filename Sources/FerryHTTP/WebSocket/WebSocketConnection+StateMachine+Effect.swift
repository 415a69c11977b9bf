extension WebSocketConnection.StateMachine {
    /// What the caller must do, in the order given.
    enum Effect: Equatable {
        case connect(WebSocketRequest)
        /// Send the request.
        case upgrade(WebSocketRequest)
        case disconnect
        /// Send an empty close frame, unless that would have to wait.
        case takeLeave
        case opened(HTTPResponseHead, protocol: String?)
        /// Ask the owner what to do about a refusal.
        case askAbout(WebSocketConnection.Refusal)
        /// Give the message to the receiver that has waited longest.
        case deliver(WebSocketMessage)
        case failReceivers(WebSocketError)
        /// Complete the call with this number, with an error if it failed.
        case complete(UInt64, WebSocketError?)
        case report(WebSocketConnection.End)
        case armTimer(after: Duration)
        case cancelTimer
        /// Take a turn: what the connection has to read or send may have changed.
        case proceed
    }

    /// A frame with the number of the call that waits until it is sent.
    struct Outgoing: Equatable {
        var frame: WebSocketFrame
        var number: UInt64?
    }
}
