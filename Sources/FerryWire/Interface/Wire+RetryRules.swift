extension Wire {
    /// Which attempts that have failed are made again, and when; what is missing is the daemon's choice.
    package struct RetryRules: Codable, Hashable, Sendable {
        /// How many attempts in a row may fail; 1 or more.
        package var maximumAttempts: Int?
        /// How many attempts in a row may fail while the server has answered none of the application's tasks; 1 or
        /// more.
        ///
        /// What fails while no client has the session open loses this limit.
        package var maximumUnansweredAttempts: Int?
        /// How many seconds pass after the first failure in a row.
        package var firstDelay: Double?
        /// How much longer each further delay is.
        package var factor: Double?
        /// How many seconds pass at most, unless a server wants more.
        package var maximumDelay: Double?
        /// The status codes of answers that are asked for again.
        package var statuses: [Int]?

        /// Creates rules.
        package init(
            maximumAttempts: Int? = nil,
            maximumUnansweredAttempts: Int? = nil,
            firstDelay: Double? = nil,
            factor: Double? = nil,
            maximumDelay: Double? = nil,
            statuses: [Int]? = nil
        ) {
            self.maximumAttempts = maximumAttempts
            self.maximumUnansweredAttempts = maximumUnansweredAttempts
            self.firstDelay = firstDelay
            self.factor = factor
            self.maximumDelay = maximumDelay
            self.statuses = statuses
        }
    }
}
