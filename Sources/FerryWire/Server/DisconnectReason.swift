package import FerrySystem

/// Why a connection ended, or was not accepted.
package enum DisconnectReason: Hashable, Sendable, CustomStringConvertible {
    /// The client closed it.
    case closedByPeer
    /// The client is gone, and a file that it has passed does not answer: that call and those behind it are given up.
    case fileDoesNotAnswer
    /// The server closed it.
    case closedByServer
    /// The client sent what is no message.
    case invalidMessage(MessageError)
    /// The client does not read its answers, of which there are too many bytes by now.
    case unreadReplies(byteCount: Int)
    /// All clients together made the server hold too much, and this one the most.
    case heldTooMuch(byteCount: Int)
    /// The client belongs to another user.
    case foreignUser
    /// There are as many connections as there may be.
    case tooManyConnections(maximum: Int)
    /// The kernel refused something.
    case failed(SystemCallError)

    /// For people.
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
