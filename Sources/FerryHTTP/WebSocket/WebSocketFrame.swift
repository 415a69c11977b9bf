/// What a WebSocket connection has to send.
enum WebSocketFrame: Hashable, Sendable {
    /// A whole message, in one frame.
    case message(WebSocketMessage)
    case ping([UInt8])
    /// The last frame; without a code, its body is empty.
    case close(code: UInt16?, reason: [UInt8])

    var isPing: Bool {
        switch self {
        case .ping: true
        case .message, .close: false
        }
    }
}
