package import FerryWire
package import FoundationEssentials

/// An application that has, or had, background sessions.
package struct ApplicationRecord: Hashable, Sendable {
    /// The store's number for the application, never used again after it is deleted.
    package var id: ApplicationID
    /// The name the application gave itself, unique in the store.
    package var identifier: String
    /// How to start it again, or `nil` if it is not to be started.
    package var launch: Wire.Launch?
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
        launch: Wire.Launch? = nil,
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
