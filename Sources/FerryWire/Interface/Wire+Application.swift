extension Wire {
    /// An application that hands over transfers.
    package struct Application: Codable, Hashable, Sendable {
        /// What tells the application from the user's others.
        package var identifier: String
        /// How to start it when its transfers need it; without it, it is never started.
        package var launch: Launch?

        /// Creates an application.
        package init(identifier: String, launch: Launch? = nil) {
            self.identifier = identifier
            self.launch = launch
        }
    }
}
