/// The errors that every Varlink service has, of the interface `org.varlink.service`.
package enum ServiceError: Error, Hashable, Sendable {
    /// The service does not have the interface.
    case interfaceNotFound(String)
    /// The interface does not have the method.
    case methodNotFound(String)
    /// The interface has the method, the service does not.
    case methodNotImplemented(String)
    /// A parameter is missing or of the wrong type.
    case invalidParameter(String)
    /// The caller may not do that.
    case permissionDenied
    /// The method answers with a stream alone, and the call did not ask for one.
    case expectedMore
}
