extension Wire {
    /// How to start an application again.
    package struct Launch: Codable, Hashable, Sendable {
        /// The program's absolute path.
        package var executable: String
        /// The arguments after the program's name.
        package var arguments: [String]
        /// The working directory's absolute path.
        package var directory: String
        /// The environment variables, all of them.
        package var environment: [String: String]

        /// Creates a launch.
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
}
