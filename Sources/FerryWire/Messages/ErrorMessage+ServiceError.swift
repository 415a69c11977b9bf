extension ErrorMessage {
    /// The message of an error that every service has.
    init(_ error: ServiceError) {
        switch error {
        case .interfaceNotFound(let name):
            self.init(standard: "InterfaceNotFound", .init(interface: name))
        case .methodNotFound(let name):
            self.init(standard: "MethodNotFound", .init(method: name))
        case .methodNotImplemented(let name):
            self.init(standard: "MethodNotImplemented", .init(method: name))
        case .invalidParameter(let name):
            self.init(standard: "InvalidParameter", .init(parameter: name))
        case .permissionDenied:
            self.init(standard: "PermissionDenied", .init())
        case .expectedMore:
            self.init(standard: "ExpectedMore", .init())
        }
    }

    private init(standard name: String, _ parameters: ErrorParameters) {
        self.init(error: "\(ServiceInformation.interface).\(name)", parameters: parameters)
    }

    /// The error that every service has that this is, or `nil` for another.
    var serviceError: ServiceError? {
        let prefix = "\(ServiceInformation.interface)."
        guard error.hasPrefix(prefix) else { return nil }
        return switch error.dropFirst(prefix.count) {
        case "InterfaceNotFound": .interfaceNotFound(parameters.interface ?? "")
        case "MethodNotFound": .methodNotFound(parameters.method ?? "")
        case "MethodNotImplemented": .methodNotImplemented(parameters.method ?? "")
        case "InvalidParameter": .invalidParameter(parameters.parameter ?? "")
        case "PermissionDenied": .permissionDenied
        case "ExpectedMore": .expectedMore
        default: nil
        }
    }
}
