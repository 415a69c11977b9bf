import Ferry

/// What holds for all downloads of a session of `ferry get`.
struct SessionOptions: Hashable, Sendable {
    /// How long a download may take, its waits included; nil for a week.
    var timeLimit: Duration?

    /// A session's configuration.
    ///
    /// - Parameter identifier: The session's identifier.
    /// - Returns: The configuration.
    func configuration(of identifier: String) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        // A file is not to wait for the others of its command.
        configuration.sessionSendsLaunchEventsForEachTask = true
        if let timeLimit { configuration.timeoutIntervalForResource = timeLimit / .seconds(1) }
        return configuration
    }
}
