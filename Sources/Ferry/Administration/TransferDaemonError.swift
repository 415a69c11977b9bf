import FerryWire

/// The reason that a call to the transfer daemon failed.
public struct TransferDaemonError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The class of a failure, for programs to act on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Wrapped: String {
            case notRunning
            case cannotStart
            case disconnected
            case transferNotFound
            case applicationNotFound
            case invalidRequest
            case storeUnavailable
            case timetableUnavailable
            case limitExceeded
            case permissionDenied
            case internalFailure
            case unexpectedReply
            case cancelled
        }

        private let wrapped: Wrapped

        /// The daemon is not running, and the call may not start it.
        public static let notRunning = Code(wrapped: .notRunning)
        /// The daemon could not be started, or does not answer; the message says what was tried.
        public static let cannotStart = Code(wrapped: .cannotStart)
        /// The daemon ended before it answered; whether it performed the call is unknown.
        public static let disconnected = Code(wrapped: .disconnected)
        /// The daemon has no transfer of that number.
        public static let transferNotFound = Code(wrapped: .transferNotFound)
        /// The daemon knows no application of that identifier.
        public static let applicationNotFound = Code(wrapped: .applicationNotFound)
        /// A parameter of the call is invalid; the message names it.
        public static let invalidRequest = Code(wrapped: .invalidRequest)
        /// The daemon's database cannot be written or read: a full disk, for example.
        public static let storeUnavailable = Code(wrapped: .storeUnavailable)
        /// The file with the user's timetable cannot be read or written.
        public static let timetableUnavailable = Code(wrapped: .timetableUnavailable)
        /// A limit of the daemon is reached, such as that on its descriptors; the same call may succeed later.
        public static let limitExceeded = Code(wrapped: .limitExceeded)
        /// The daemon belongs to another user.
        public static let permissionDenied = Code(wrapped: .permissionDenied)
        /// The daemon failed internally; its log has the details.
        public static let internalFailure = Code(wrapped: .internalFailure)
        /// The reply was not understood: the library and the daemon have different versions.
        public static let unexpectedReply = Code(wrapped: .unexpectedReply)

        /// The Swift task that waited was cancelled; whether the daemon performs the call is unknown.
        public static let cancelled = Code(wrapped: .cancelled)

        /// The code's name.
        public var description: String { wrapped.rawValue }
    }

    /// The failure's class.
    public var code: Code

    /// A human-readable description.
    public var message: String

    /// An error with a code and a message.
    ///
    /// - Parameters:
    ///   - code: The failure's class.
    ///   - message: A human-readable description.
    public init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

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
        case .timetableUnavailable(let reason): "the timetable was not changed: \(reason)"
        case .limitExceeded(let limit, let maximum): "there may be \(maximum) \(limit) at most"
        case .resourceUnavailable(let reason): "the daemon cannot do it at the moment: \(reason)"
        case .permissionDenied: "the daemon does not allow it"
        case .internalFailure(let reason): "the daemon has had an internal error: \(reason)"
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
            case .timetableUnavailable: .timetableUnavailable
            case .limitExceeded, .resourceUnavailable: .limitExceeded
            case .permissionDenied: .permissionDenied
            case .internalFailure: .internalFailure
            // Nothing here opens a session.
            case .sessionInUse, .sessionNotOpen: .unexpectedReply
            }
    }
}
