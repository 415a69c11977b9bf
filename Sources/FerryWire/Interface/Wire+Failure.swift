extension Wire {
    /// What went wrong with a transfer.
    package struct Failure: Codable, Hashable, Sendable {
        /// The failure's class, for programs, such as timedOut.
        package var code: String
        /// What happened, for people.
        package var message: String

        /// Creates a failure.
        package init(code: String, message: String) {
            self.code = code
            self.message = message
        }
    }
}
