/// Why bytes are not a message.
package enum MessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The message has more bytes than the limit, or none of that many bytes ends it.
    case tooLong(limit: Int)
    /// Objects and arrays stand inside each other more often than the limit.
    case tooDeep(limit: Int)
    /// It is no JSON, or not what a message consists of.
    case malformed(String)

    /// For people.
    package var description: String {
        switch self {
        case .tooLong(let limit): "a message of more than \(limit) bytes"
        case .tooDeep(let limit): "a message nested more than \(limit) deep"
        case .malformed(let reason): "a malformed message: \(reason)"
        }
    }
}

/// How much one message may ask of its reader.
package struct MessageLimits: Hashable, Sendable {
    /// The most bytes before a message's end.
    package var byteCount: Int
    /// The most objects and arrays inside each other; the interface itself needs 7.
    package var depth: Int

    /// Creates limits.
    package init(byteCount: Int, depth: Int = 32) {
        self.byteCount = byteCount
        self.depth = depth
    }

    /// What a client may send to a server.
    package static let calls = MessageLimits(byteCount: 4 << 20)
    /// What a server may send to a client, which trusts it and asks for whole pages of tasks.
    package static let replies = MessageLimits(byteCount: 64 << 20)
}
