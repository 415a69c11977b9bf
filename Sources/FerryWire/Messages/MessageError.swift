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
