/// What a call of the interface can fail with.
package enum TransferInterfaceError: Error, Hashable, Sendable {
    /// Another process has the session open.
    case sessionInUse(identifier: String, pid: Int32)
    /// No open session of the caller has the number.
    case sessionNotOpen(session: Int64)
    /// There is no such task.
    case taskNotFound(id: Int64)
    /// There is no such application.
    case applicationNotFound(application: String)
    /// A parameter has a value that makes no sense.
    case invalidRequest(parameter: String, reason: String)
    /// The queue, or the file that came along with the call, cannot be read or written; nothing was changed.
    case storeUnavailable(reason: String)
    /// A limit does not allow it.
    case limitExceeded(limit: String, maximum: Int64)
    /// The caller may not do that.
    case permissionDenied
    /// The daemon made a mistake; the log says more.
    case internalFailure(reason: String)
}
