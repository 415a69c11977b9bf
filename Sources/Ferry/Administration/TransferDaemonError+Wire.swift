import FerryWire

extension TransferDaemonError {
    /// Why there is no connection.
    init(_ error: DaemonError) {
        let code: Code =
            switch error {
            case .notRunning: .notRunning
            case .unsafeDirectory, .unsafeExecutable, .foreignDaemon: .permissionDenied
            case .alreadyRunning, .executableNotFound, .pathTooLong, .startFailed, .failed:
                .cannotStart
            }
        self.init(code, message: "\(error)")
    }

    /// Why a call failed.
    init(_ error: CallError) {
        let code: Code =
            switch error {
            case .refused(let refusal): Code(refusal)
            case .notUnderstood, .unknown, .invalidReply: .unexpectedReply
            case .connectionClosed: .disconnected
            case .invalidCall: .invalidRequest
            }
        self.init(code, message: Self.message(of: error))
    }

    private static func message(of error: CallError) -> String {
        guard case .refused(let refusal) = error else { return "\(error)" }
        return switch refusal {
        case .sessionInUse(let identifier, let pid):
            "the session \(identifier) is in use by the process \(pid)"
        case .sessionNotOpen(let session): "the session \(session) is not open"
        case .taskNotFound(let id): "there is no transfer \(id)"
        case .applicationNotFound(let application): "there is no application \(application)"
        case .invalidRequest(let parameter, let reason): "\(parameter): \(reason)"
        case .storeUnavailable(let reason): "the daemon's queue is not available: \(reason)"
        case .limitExceeded(let limit, let maximum): "there may be \(maximum) \(limit) at most"
        case .permissionDenied: "the daemon does not allow it"
        case .internalFailure(let reason): "the daemon made a mistake: \(reason)"
        }
    }
}

extension TransferDaemonError.Code {
    fileprivate init(_ refusal: TransferInterfaceError) {
        self =
            switch refusal {
            case .taskNotFound: .transferNotFound
            case .applicationNotFound: .applicationNotFound
            case .invalidRequest: .invalidRequest
            case .storeUnavailable: .storeUnavailable
            case .limitExceeded: .limitExceeded
            case .permissionDenied: .permissionDenied
            case .internalFailure: .internalFailure
            // Nothing here opens a session.
            case .sessionInUse, .sessionNotOpen: .unexpectedReply
            }
    }
}
