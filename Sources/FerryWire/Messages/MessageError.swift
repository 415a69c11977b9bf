/// The reason why bytes are not a message.
package enum MessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The message is longer than the limit, or does not end within that many bytes.
    case tooLong(limit: Int)
    /// It is not JSON, or not the JSON of a message.
    case malformed(String)

    /// A description for people.
    package var description: String {
        switch self {
        case .tooLong(let limit): "a message of more than \(limit) bytes"
        case .malformed(let reason): "a malformed message: \(reason)"
        }
    }
}

/// The limits for one message.
package struct MessageLimits: Hashable, Sendable {
    /// The maximum number of bytes before a message's end.
    package var byteCount: Int

    /// Creates limits.
    package init(byteCount: Int) {
        self.byteCount = byteCount
    }

    /// The limits for a client's messages to a server.
    package static let calls = MessageLimits(byteCount: 4 << 20)
    /// The limits for a server's messages to a client, which trusts it and requests whole pages of tasks.
    package static let replies = MessageLimits(byteCount: 64 << 20)
}
