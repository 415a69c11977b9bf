extension Wire {
    /// What is to be done about a challenge.
    package enum ChallengeDisposition: String, Codable, CaseIterable, Sendable {
        /// Use the name and password, or the identity, or trust the server.
        case use
        /// Go on as if nobody could be asked.
        case goOn
        /// Try the next way that the other side offers.
        case reject
        /// Fail the task as cancelled.
        case cancel
    }
}
