/// The errors that every Varlink service has, of the interface `org.varlink.service`.
package enum ServiceError: Error, Hashable, Sendable {
    /// The service does not have the interface.
    case interfaceNotFound(String)
    /// The interface does not have the method.
    case methodNotFound(String)
    /// The interface has the method, but the service does not.
    case methodNotImplemented(String)
    /// A parameter is missing or of the wrong type.
    case invalidParameter(String)
    /// The caller may not do that.
    case permissionDenied
    /// The method only answers with a stream, and the call did not request one.
    case expectedMore
}

extension ServiceError {
    /// The error's name in its interface.
    var name: String {
        switch self {
        case .interfaceNotFound: "InterfaceNotFound"
        case .methodNotFound: "MethodNotFound"
        case .methodNotImplemented: "MethodNotImplemented"
        case .invalidParameter: "InvalidParameter"
        case .permissionDenied: "PermissionDenied"
        case .expectedMore: "ExpectedMore"
        }
    }

    /// Writes the error's parameters.
    func write(to output: inout JSONOutput) {
        output.object { output in
            switch self {
            case .interfaceNotFound(let name): output.member("interface", name)
            case .methodNotFound(let name), .methodNotImplemented(let name):
                output.member("method", name)
            case .invalidParameter(let name): output.member("parameter", name)
            case .permissionDenied, .expectedMore: break
            }
        }
    }

    /// Reads the error with a name; nil for an unknown name.
    init?(named name: Substring, from input: inout JSONInput) throws(JSONInput.Problem) {
        var subject = ""
        try input.object { (input, _) throws(JSONInput.Problem) in
            subject = try input.value() ?? ""
        }
        switch name {
        case "InterfaceNotFound": self = .interfaceNotFound(subject)
        case "MethodNotFound": self = .methodNotFound(subject)
        case "MethodNotImplemented": self = .methodNotImplemented(subject)
        case "InvalidParameter": self = .invalidParameter(subject)
        case "PermissionDenied": self = .permissionDenied
        case "ExpectedMore": self = .expectedMore
        default: return nil
        }
    }
}
