/// What an application that is started for its events finds in its environment.
enum LaunchEnvironment {
    /// The variable that holds the session's identifier.
    static let backgroundSession = "FERRY_BACKGROUND_SESSION"
}
