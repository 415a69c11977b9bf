package import FoundationEssentials

extension Wire {
    /// Until when a task does not begin.
    package struct EarliestBegin: Codable, Hashable, Sendable {
        /// The date.
        package var date: Date
        /// Whether the application is asked then; it is started for that if it is not there.
        package var asks: Bool

        /// Creates one of its parts.
        package init(
            date: Date,
            asks: Bool
        ) {
            self.date = date
            self.asks = asks
        }
    }
}
