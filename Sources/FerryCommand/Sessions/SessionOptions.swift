import Ferry

/// What holds for all downloads of a session of `ferry get`.
struct SessionOptions: Hashable, Sendable {
    /// How long a download may take, its waits included; nil for a week.
    var timeLimit: Duration?
    /// How connections are made; nil for as the process did that has opened the session first.
    var connections: ConnectionChoice?
    /// The variables that count where `connections` has said nothing.
    var environment: [String: String] = [:]

    /// A session's configuration.
    ///
    /// - Parameter identifier: The session's identifier.
    /// - Returns: The configuration.
    func configuration(of identifier: String) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        // A file is not to wait for the others of its command.
        configuration.sessionSendsLaunchEventsForEachTask = true
        if let timeLimit { configuration.timeoutIntervalForResource = timeLimit / .seconds(1) }
        configuration.keepsConnectionSettings = connections == nil
        connections?.apply(to: configuration, in: environment)
        return configuration
    }
}
