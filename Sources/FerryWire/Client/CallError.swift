/// The reason why a call was not answered as its method promises.
package enum CallError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The daemon refused it.
    case refused(TransferInterfaceError)
    /// The daemon does not know the method or its parameters: it has a different version.
    case notUnderstood(ServiceError)
    /// The daemon answered with an error that this version does not know.
    case unknown(name: String)
    /// The connection is closed; the call may or may not have been carried out.
    case connectionClosed(reason: String)
    /// The reply is invalid for the method; the connection is closed.
    case invalidReply(MessageError)
    /// The call cannot be sent, for example because it is too long; the connection stays usable.
    case invalidCall(MessageError)

    init(_ message: ErrorMessage) {
        switch message {
        case .transfer(let error): self = .refused(error)
        case .service(let error): self = .notUnderstood(error)
        case .unknown(let name): self = .unknown(name: name)
        }
    }

    /// A description for people.
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
