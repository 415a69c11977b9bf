package import FoundationEssentials

extension Wire {
    /// An application that the daemon starts when its transfers need it.
    package struct Hook: Codable, Hashable, Sendable {
        /// The application's identifier.
        package var application: String
        /// How it is started.
        package var launch: Launch?
        /// How often it was started without taking its events.
        package var attempts: Int
        /// When it is started next.
        package var nextLaunch: Date?
        /// The identifiers of its sessions that hold events for it.
        package var pendingSessions: [String]
        /// Whether its user quit it: then it is not started.
        package var quit: Bool

        /// Creates a hook.
        package init(
            application: String,
            launch: Launch? = nil,
            attempts: Int,
            nextLaunch: Date? = nil,
            pendingSessions: [String],
            quit: Bool
        ) {
            self.application = application
            self.launch = launch
            self.attempts = attempts
            self.nextLaunch = nextLaunch
            self.pendingSessions = pendingSessions
            self.quit = quit
        }
    }
}
