package import FoundationEssentials

/// An application that has, or had, background sessions.
package struct ApplicationRecord: Hashable, Sendable {
    /// The store's number for the application, never used again after it is deleted.
    package var id: ApplicationID
    /// The name the application gave itself, unique in the store.
    package var identifier: String
    /// How to start it again, or `nil` if it is not to be started.
    package var launch: LaunchRecord?
    /// How often it was started in a row without taking its events.
    package var launchAttempts: Int
    /// The earliest time of the next start, or `nil` if it need not wait.
    package var nextLaunchAt: Date?
    /// Whether the user has quit it by force, so that it must not be started.
    package var quit: Bool

    /// Creates a record of an application.
    package init(
        id: ApplicationID,
        identifier: String,
        launch: LaunchRecord? = nil,
        launchAttempts: Int = 0,
        nextLaunchAt: Date? = nil,
        quit: Bool = false
    ) {
        self.id = id
        self.identifier = identifier
        self.launch = launch
        self.launchAttempts = launchAttempts
        self.nextLaunchAt = nextLaunchAt
        self.quit = quit
    }
}

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
    /// The application's mask for new files, as in umask(2), if it is known.
    package var fileModeMask: UInt32?
    /// The names of the application's environment variables that it is started without, if they are known.
    package var omittedVariables: [String]?

    /// Creates a record of how to start an application.
    package init(
        executable: String,
        arguments: [String],
        directory: String,
        environment: [String: String],
        fileModeMask: UInt32? = nil,
        omittedVariables: [String]? = nil
    ) {
        self.executable = executable
        self.arguments = arguments
        self.directory = directory
        self.environment = environment
        self.fileModeMask = fileModeMask
        self.omittedVariables = omittedVariables
    }
}
