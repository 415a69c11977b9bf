/// A frame that a WebSocket connection sends.
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

/// A message of the WebSocket protocol (RFC 6455 §5.6).
package enum WebSocketMessage: Hashable, Sendable {
    /// Text, which travels as UTF-8.
    case text(String)
    /// Bytes.
    case binary([UInt8])

    /// The length of the message as it is sent.
    package var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }
}
