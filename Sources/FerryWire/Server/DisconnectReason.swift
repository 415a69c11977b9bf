package import FerrySystem

/// The reason why a connection ended, or was not accepted.
package enum DisconnectReason: Hashable, Sendable, CustomStringConvertible {
    /// The client closed it.
    case closedByPeer
    /// The client is gone, and a file that it has passed does not respond: that call and those after it are dropped.
    case fileDoesNotAnswer
    /// The server closed it.
    case closedByServer
    /// The client sent something that is not a message.
    case invalidMessage(MessageError)
    /// The client does not read its replies, and too many bytes of them are queued.
    case unreadReplies(byteCount: Int)
    /// All clients together made the server hold too many bytes, and this one the most.
    case heldTooMuch(byteCount: Int)
    /// The client belongs to another user.
    case foreignUser
    /// The maximum number of connections is reached.
    case tooManyConnections(maximum: Int)
    /// A system call failed.
    case failed(SystemCallError)

    /// A description for people.
    package var description: String {
        switch self {
        case .closedByPeer: "closed by the client"
        case .fileDoesNotAnswer:
            "closed by the client, whose last calls are given up: a file that it has passed does not answer"
        case .closedByServer: "closed by the daemon"
        case .invalidMessage(let error): "\(error)"
        case .unreadReplies(let count): "\(count) bytes of answers were not read"
        case .heldTooMuch(let count): "clients held too much memory, this one \(count) bytes"
        case .foreignUser: "the client belongs to another user"
        case .tooManyConnections(let maximum): "there are \(maximum) connections already"
        case .failed(let error): "\(error)"
        }
    }
}
