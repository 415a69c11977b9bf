extension TransferOptions {
    /// The rules for retrying failed attempts.
    ///
    /// Failures that may be temporary are retried: time-outs, hosts that cannot be found or connected to, broken
    /// connections, no network, and responses with a status that says so. Part of each delay is random, so that clients
    /// do not come back all at once. A server's `Retry-After` may make the delay longer, never shorter. The resource
    /// timeout (``URLSessionConfiguration/timeoutIntervalForResource``) bounds all attempts.
    public struct Retry: Hashable, Sendable {
        /// The number of consecutive attempts that may fail before the task fails.
        ///
        /// Default: nil, for as many as there is time for. The count restarts when there are more bytes than ever
        /// before: bytes that are lost and fetched again do not count. Values below 1 count as 1.
        public var maximumAttempts: Int?
        /// The number of consecutive attempts that may fail before the task fails, if its server has never answered.
        ///
        /// For requests that will most likely never succeed: to a host that does not exist, refuses connections or does
        /// not respond. Default: nil, for ``maximumAttempts``. Attempts without a network do not count. Values below 1
        /// count as 1.
        ///
        /// In a background session it is for a program that waits. A response to any of the app's tasks counts for all
        /// of them, as far as the daemon knows of it. A task that fails while no program has the session open loses
        /// this limit.
        public var maximumUnansweredAttempts: Int?
        /// The maximum delay between the first failure in a row and the next attempt.
        ///
        /// Default: 1 second. Values below a tenth of a second count as that.
        public var firstDelay = Duration.seconds(1)
        /// The factor by which each further delay is longer.
        ///
        /// Default: 2. Values below 1 count as 1.
        public var factor = 2.0
        /// The longest delay.
        ///
        /// Default: 5 minutes. Values below a tenth of a second count as that.
        public var maximumDelay = Duration.seconds(300)
        /// The status codes, from 400 to 599, of responses that are retried.
        ///
        /// Default: nil. In that case they are 408, 429 and 500 to 599, at most ten times in a row, and only if bytes
        /// of an earlier attempt are held or the server says when to come back.
        public var statuses: Set<Int>?

        /// Creates the default rules for tasks of background sessions.
        public init() {}
    }
}
