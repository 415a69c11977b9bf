package import FoundationEssentials

extension Wire {
    /// What a task has cost.
    package struct TaskMetrics: Codable, Hashable, Sendable {
        /// When the task was made.
        package var started: Date
        /// When it ended.
        package var ended: Date
        /// How many redirects were followed in the last attempt.
        package var redirectCount: Int
        /// The requests of the last attempt, in order.
        package var transactions: [Transaction]

        /// Creates one of its parts.
        package init(started: Date, ended: Date, redirectCount: Int, transactions: [Transaction]) {
            self.started = started
            self.ended = ended
            self.redirectCount = redirectCount
            self.transactions = transactions
        }
    }
}
