// Written by scripts/interface from io.ferry.Transfer.varlink: change that, and run `make interface`.

/// An error of a call.
package enum TransferInterfaceError: Error, Hashable, Sendable {
    /// Another process has the session open.
    case sessionInUse(identifier: String, pid: Int32)
    /// No open session of the caller has the number.
    case sessionNotOpen(session: Int64)
    /// The task does not exist.
    case taskNotFound(id: Int64)
    /// The application does not exist.
    case applicationNotFound(application: String)
    /// A parameter has an invalid value.
    case invalidRequest(parameter: String, reason: String)
    /// The queue, or the file that was passed with the call, cannot be read or written; nothing was
    /// changed.
    case storeUnavailable(reason: String)
    /// The file of the user's timetable cannot be read or written; nothing was changed.
    case timetableUnavailable(reason: String)
    /// A limit would be exceeded.
    case limitExceeded(limit: String, maximum: Int64)
    /// The daemon lacks a resource for the moment, such as a descriptor; nothing was changed.
    ///
    /// The call may be repeated later.
    case resourceUnavailable(reason: String)
    /// The caller lacks the permission.
    case permissionDenied
    /// An internal error of the daemon; the log has details.
    case internalFailure(reason: String)
}

extension TransferInterfaceError {
    /// The error's name in the interface.
    var name: String {
        switch self {
        case .sessionInUse: "SessionInUse"
        case .sessionNotOpen: "SessionNotOpen"
        case .taskNotFound: "TaskNotFound"
        case .applicationNotFound: "ApplicationNotFound"
        case .invalidRequest: "InvalidRequest"
        case .storeUnavailable: "StoreUnavailable"
        case .timetableUnavailable: "TimetableUnavailable"
        case .limitExceeded: "LimitExceeded"
        case .resourceUnavailable: "ResourceUnavailable"
        case .permissionDenied: "PermissionDenied"
        case .internalFailure: "InternalFailure"
        }
    }

    /// Writes the error's parameters.
    func write(to output: inout JSONOutput) {
        output.object { output in
            switch self {
            case .sessionInUse(let identifier, let pid):
                output.member("identifier", identifier)
                output.member("pid", pid)
            case .sessionNotOpen(let session): output.member("session", session)
            case .taskNotFound(let id): output.member("id", id)
            case .applicationNotFound(let application): output.member("application", application)
            case .invalidRequest(let parameter, let reason):
                output.member("parameter", parameter)
                output.member("reason", reason)
            case .storeUnavailable(let reason): output.member("reason", reason)
            case .timetableUnavailable(let reason): output.member("reason", reason)
            case .limitExceeded(let limit, let maximum):
                output.member("limit", limit)
                output.member("maximum", maximum)
            case .resourceUnavailable(let reason): output.member("reason", reason)
            case .permissionDenied: break
            case .internalFailure(let reason): output.member("reason", reason)
            }
        }
    }

    /// Reads the error of a name; nil for one that this version does not know.
    init?(named name: Substring, from input: inout JSONInput) throws(JSONInput.Problem) {
        switch name {
        case "SessionInUse":
            var identifier: String?
            var pid: Int32?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "identifier": identifier = try input.value()
                case "pid": pid = try input.value()
                default: try input.skip()
                }
            }
            self = .sessionInUse(
                identifier: try input.required(identifier, "identifier"),
                pid: try input.required(pid, "pid")
            )
        case "SessionNotOpen":
            var session: Int64?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                default: try input.skip()
                }
            }
            self = .sessionNotOpen(session: try input.required(session, "session"))
        case "TaskNotFound":
            var id: Int64?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "id": id = try input.value()
                default: try input.skip()
                }
            }
            self = .taskNotFound(id: try input.required(id, "id"))
        case "ApplicationNotFound":
            var application: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "application": application = try input.value()
                default: try input.skip()
                }
            }
            self = .applicationNotFound(application: try input.required(application, "application"))
        case "InvalidRequest":
            var parameter: String?
            var reason: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "parameter": parameter = try input.value()
                case "reason": reason = try input.value()
                default: try input.skip()
                }
            }
            self = .invalidRequest(
                parameter: try input.required(parameter, "parameter"),
                reason: try input.required(reason, "reason")
            )
        case "StoreUnavailable":
            var reason: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "reason": reason = try input.value()
                default: try input.skip()
                }
            }
            self = .storeUnavailable(reason: try input.required(reason, "reason"))
        case "TimetableUnavailable":
            var reason: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "reason": reason = try input.value()
                default: try input.skip()
                }
            }
            self = .timetableUnavailable(reason: try input.required(reason, "reason"))
        case "LimitExceeded":
            var limit: String?
            var maximum: Int64?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "limit": limit = try input.value()
                case "maximum": maximum = try input.value()
                default: try input.skip()
                }
            }
            self = .limitExceeded(
                limit: try input.required(limit, "limit"),
                maximum: try input.required(maximum, "maximum")
            )
        case "ResourceUnavailable":
            var reason: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "reason": reason = try input.value()
                default: try input.skip()
                }
            }
            self = .resourceUnavailable(reason: try input.required(reason, "reason"))
        case "PermissionDenied":
            try input.skip()
            self = .permissionDenied
        case "InternalFailure":
            var reason: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "reason": reason = try input.value()
                default: try input.skip()
                }
            }
            self = .internalFailure(reason: try input.required(reason, "reason"))
        default: return nil
        }
    }
}
