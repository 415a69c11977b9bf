/// How an application is started again for its events.
package struct LaunchRecord: Hashable, Sendable, Codable {
    /// The executable's absolute path.
    package var executable: String
    /// The arguments after the executable's name.
    package var arguments: [String]
    /// The directory to start it in.
    package var directory: String
    /// The environment to start it with.
    package var environment: [String: String]

    /// Creates a record of how to start an application.
    package init(
        executable: String,
        arguments: [String],
        directory: String,
        environment: [String: String]
    ) {
        self.executable = executable
        self.arguments = arguments
        self.directory = directory
        self.environment = environment
    }
}
