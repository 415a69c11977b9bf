extension Wire {
    /// What holds for all tasks of a session.
    package struct SessionConfiguration: Codable, Hashable, Sendable {
        /// Header fields for every request that does not set them itself.
        package var additionalFields: [Field]
        /// How many seconds a task may take from its first resume, retries included; 0 for ever.
        package var resourceTimeout: Double
        /// How many tasks of the session may load from one host at once.
        package var maximumConnectionsPerHost: Int
        /// Whether the application is started when all tasks are done, and for what it has to decide.
        package var sendsLaunchEvents: Bool
        /// Whether it is started as soon as one task is done, also while another process of it runs.
        package var launchesForEachTask: Bool?
        /// Whether the application may have a password for who asks; otherwise nobody is asked.
        package var answersPasswords: Bool?
        /// Whether the application may want to decide about certificates, the server's or its own.
        package var answersCertificates: Bool?
        /// Whether the application wants to know what its tasks have cost.
        package var collectsMetrics: Bool?
        /// Whether the application may give a task another address when its own is none any more.
        package var replacesLinks: Bool?
        /// How many bytes of the session's tasks together may arrive per second.
        package var receiveRate: Int64?
        /// How many bytes of the session's tasks together may leave per second.
        package var sendRate: Int64?
        /// How connections are made; without it, as whoever has opened the session before has said.
        package var connections: Connections?

        /// Creates a session configuration.
        package init(
            additionalFields: [Field],
            resourceTimeout: Double,
            maximumConnectionsPerHost: Int,
            sendsLaunchEvents: Bool,
            launchesForEachTask: Bool? = nil,
            answersPasswords: Bool? = nil,
            answersCertificates: Bool? = nil,
            collectsMetrics: Bool? = nil,
            replacesLinks: Bool? = nil,
            receiveRate: Int64? = nil,
            sendRate: Int64? = nil,
            connections: Connections? = nil
        ) {
            self.additionalFields = additionalFields
            self.resourceTimeout = resourceTimeout
            self.maximumConnectionsPerHost = maximumConnectionsPerHost
            self.sendsLaunchEvents = sendsLaunchEvents
            self.launchesForEachTask = launchesForEachTask
            self.answersPasswords = answersPasswords
            self.answersCertificates = answersCertificates
            self.collectsMetrics = collectsMetrics
            self.replacesLinks = replacesLinks
            self.receiveRate = receiveRate
            self.sendRate = sendRate
            self.connections = connections
        }
    }
}
