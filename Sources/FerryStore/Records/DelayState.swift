package import FerryWire
package import FoundationEssentials

/// The stored state of a task with an earliest begin date.
package struct DelayState: StoredRecord {
    /// The date, as a time of day, while it is in the future.
    package var date: Date?
    /// Whether its application must still be asked before it begins.
    package var asks: Bool
    /// The request that its application sends in place of the task's own.
    package var request: Wire.Request?

    /// Creates the state of a task that its application lets begin, with another request.
    package init(request: Wire.Request) {
        asks = false
        self.request = request
    }

    /// Creates the state that a client asks for; `nil` for a date that has passed.
    package init?(_ begin: Wire.EarliestBegin, at now: Date) {
        guard begin.date > now else { return nil }
        date = begin.date
        asks = begin.asks
    }
}
