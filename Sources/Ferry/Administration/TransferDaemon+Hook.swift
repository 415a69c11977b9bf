public import Foundation

extension TransferDaemon {
    /// An application that the daemon may start again.
    public struct Hook: Hashable, Sendable {
        /// The application's identifier.
        public var application: String
        /// How it is started; nil if that was removed or never registered.
        public var launch: Launch?
        /// How often it was started since it last took an event.
        public var attempts: Int
        /// When it will be started next; nil when no start is due.
        public var nextLaunch: Date?
        /// The background sessions whose events wait for it.
        public var pendingSessions: [String]
        /// Whether the user has quit it, so that it is not started; see
        /// ``TransferDaemon/quit(application:)``.
        public var isQuit: Bool

        /// A hook with the given properties.
        package init(
            application: String,
            launch: Launch?,
            attempts: Int = 0,
            nextLaunch: Date? = nil,
            pendingSessions: [String] = [],
            isQuit: Bool = false
        ) {
            self.application = application
            self.launch = launch
            self.attempts = attempts
            self.nextLaunch = nextLaunch
            self.pendingSessions = pendingSessions
            self.isQuit = isQuit
        }
    }

    /// How the daemon starts an application.
    public struct Launch: Hashable, Sendable {
        /// The absolute path of the executable.
        public var executable: String
        /// The arguments, without the executable's own name.
        public var arguments: [String]
        /// The absolute path of the directory in which it is started.
        public var workingDirectory: String
        /// The environment variables it gets.
        public var environment: [String: String]

        /// A launch with the given properties.
        package init(
            executable: String,
            arguments: [String],
            workingDirectory: String,
            environment: [String: String]
        ) {
            self.executable = executable
            self.arguments = arguments
            self.workingDirectory = workingDirectory
            self.environment = environment
        }
    }
}
