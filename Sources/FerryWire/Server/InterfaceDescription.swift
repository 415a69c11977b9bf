/// What `org.varlink.service.GetInterfaceDescription` answers.
struct InterfaceDescription: Codable, Hashable, Sendable {
    /// The interface's text.
    var description: String
}
