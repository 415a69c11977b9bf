import FoundationEssentials

/// When a timer is due that is only ever set to an earlier date.
struct PlannedTimer: Hashable, Sendable {
    private var date: Date?

    /// Whether it is set.
    var isPlanned: Bool { date != nil }

    /// Plans it for a date, unless it is due earlier anyway.
    ///
    /// - Parameter date: The date.
    /// - Returns: Whether it is to be set to this date.
    mutating func plan(at date: Date) -> Bool {
        guard self.date.map({ date < $0 }) ?? true else { return false }
        self.date = date
        return true
    }

    /// It is due, or no longer of use.
    mutating func forget() { date = nil }
}
