extension TransferOptions {
    /// Which attempts that have failed are made again, and when.
    ///
    /// What may pass by itself is tried again: time-outs, hosts that cannot be found or connected to, connections
    /// that break, no network, and answers with a status that says so. Part of each delay is left to chance, so
    /// that clients do not come back all at once. A server's `Retry-After` may make it longer, never shorter. The
    /// time for the whole resource (``URLSessionConfiguration/timeoutIntervalForResource``) bounds them all.
    public struct Retry: Hashable, Sendable {
        /// How many attempts in a row may fail before the task does.
        ///
        /// Default: nil, for as many as there is time for. A new row begins when there are more bytes than there
        /// ever were: bytes that are lost and fetched again do not count. Values below 1 count as 1.
        public var maximumAttempts: Int?
        /// How many attempts in a row may fail before the task does, as long as its server has not answered once.
        ///
        /// For what most likely will never succeed: a host that does not exist, one that refuses connections or
        /// says nothing. Default: nil, for ``maximumAttempts``. Attempts without a network do not count. Values
        /// below 1 count as 1.
        ///
        /// In a background session it is for a program that waits. An answer to any of the app's tasks counts as
        /// one to all, as far as the daemon knows of it; and what fails while no program has the session open loses
        /// this limit.
        public var maximumUnansweredAttempts: Int?
        /// How long it takes after the first failure in a row until the next attempt, at most.
        ///
        /// Default: 1 second. Less than a tenth of a second counts as that.
        public var firstDelay = Duration.seconds(1)
        /// How much longer each further delay is.
        ///
        /// Default: 2. Values below 1 count as 1.
        public var factor = 2.0
        /// The longest delay.
        ///
        /// Default: 5 minutes. Less than a tenth of a second counts as that.
        public var maximumDelay = Duration.seconds(300)
        /// The status codes, from 400 to 599, of answers that are asked for again.
        ///
        /// Default: nil. Then they are 408, 429 and 500 to 599, as long as bytes of an earlier attempt are held or
        /// the server says when to come back, at most ten times in a row.
        public var statuses: Set<Int>?

        /// The rules that tasks of background sessions have where nobody says otherwise.
        public init() {}
    }
}
