extension ErrorMessage {
    /// The message of an error of the interface.
    init(_ error: TransferInterfaceError) {
        switch error {
        case .sessionInUse(let identifier, let pid):
            self.init(named: "SessionInUse", .init(identifier: identifier, pid: pid))
        case .sessionNotOpen(let session):
            self.init(named: "SessionNotOpen", .init(session: session))
        case .taskNotFound(let id):
            self.init(named: "TaskNotFound", .init(id: id))
        case .applicationNotFound(let application):
            self.init(named: "ApplicationNotFound", .init(application: application))
        case .invalidRequest(let parameter, let reason):
            self.init(named: "InvalidRequest", .init(parameter: parameter, reason: reason))
        case .storeUnavailable(let reason):
            self.init(named: "StoreUnavailable", .init(reason: reason))
        case .limitExceeded(let limit, let maximum):
            self.init(named: "LimitExceeded", .init(limit: limit, maximum: maximum))
        case .permissionDenied:
            self.init(named: "PermissionDenied", .init())
        case .internalFailure(let reason):
            self.init(named: "InternalFailure", .init(reason: reason))
        }
    }

    private init(named name: String, _ parameters: ErrorParameters) {
        self.init(error: "\(Wire.interface).\(name)", parameters: parameters)
    }

    /// The error of the interface that this is, or `nil` for another's or an incomplete one.
    var transferInterfaceError: TransferInterfaceError? {
        let prefix = "\(Wire.interface)."
        guard error.hasPrefix(prefix) else { return nil }
        let values = parameters
        switch error.dropFirst(prefix.count) {
        case "SessionInUse":
            guard let identifier = values.identifier, let pid = values.pid else { return nil }
            return .sessionInUse(identifier: identifier, pid: pid)
        case "SessionNotOpen":
            return values.session.map { .sessionNotOpen(session: $0) }
        case "TaskNotFound":
            return values.id.map { .taskNotFound(id: $0) }
        case "ApplicationNotFound":
            return values.application.map { .applicationNotFound(application: $0) }
        case "InvalidRequest":
            guard let parameter = values.parameter, let reason = values.reason else { return nil }
            return .invalidRequest(parameter: parameter, reason: reason)
        case "StoreUnavailable":
            return values.reason.map { .storeUnavailable(reason: $0) }
        case "LimitExceeded":
            guard let limit = values.limit, let maximum = values.maximum else { return nil }
            return .limitExceeded(limit: limit, maximum: maximum)
        case "PermissionDenied":
            return .permissionDenied
        case "InternalFailure":
            return values.reason.map { .internalFailure(reason: $0) }
        default:
            return nil
        }
    }
}
