/// A message of the WebSocket protocol (RFC 6455 §5.6).
package enum WebSocketMessage: Hashable, Sendable {
    /// Text, which travels as UTF-8.
    case text(String)
    /// Bytes.
    case binary([UInt8])

    /// The length of what travels.
    package var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }
}
