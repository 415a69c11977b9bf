/// Why a call was not answered as its method promises.
package enum CallError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The daemon refused it.
    case refused(TransferInterfaceError)
    /// The daemon does not know the method or its parameters: its version is another one.
    case notUnderstood(ServiceError)
    /// The daemon answered with an error that this version does not know.
    case unknown(name: String)
    /// The connection is closed; the call may have been carried out or not.
    case connectionClosed(reason: String)
    /// The answer is not what the method promises; the connection is closed.
    case invalidReply(MessageError)
    /// The call cannot be sent, such as for its length; the connection is as good as before.
    case invalidCall(MessageError)

    init(_ message: ErrorMessage) {
        switch message {
        case .transfer(let error): self = .refused(error)
        case .service(let error): self = .notUnderstood(error)
        case .unknown(let name): self = .unknown(name: name)
        }
    }

    /// For people.
    package var description: String {
        switch self {
        case .refused(let error): "the daemon refused: \(error)"
        case .notUnderstood(let error): "the daemon is of another version: \(error)"
        case .unknown(let name): "the daemon answered with the error \(name)"
        case .connectionClosed(let reason): "the connection to the daemon is closed: \(reason)"
        case .invalidReply(let error): "the daemon sent \(error)"
        case .invalidCall(let error): "the daemon does not take \(error)"
        }
    }
}
