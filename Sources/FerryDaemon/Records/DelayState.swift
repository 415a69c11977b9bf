import FerryStore
import FerryWire
import FoundationEssentials

/// The stored state of a task with an earliest begin date.
struct DelayState: StoredRecord, Hashable {
    /// The date, as a time of day, while it is in the future.
    var date: Date?
    /// Whether its application must still be asked before it begins.
    var asks: Bool
    /// The request that its application sends in place of the task's own.
    var request: Wire.Request?
}

extension TaskRecord {
    /// The request to send: the task's own, the one that its application chose instead when the task was to begin, or
    /// the one with the resource's latest address.
    var requestToSend: Wire.Request? { replacement ?? Stored.request(request) }

    /// The request that replaces the task's own, if any.
    var replacement: Wire.Request? {
        LinkState.decode(link)?.request ?? DelayState.decode(delay)?.request
    }
}

extension DelayState {
    /// Creates the state that a client asks for; `nil` for a date that has passed.
    init?(_ begin: Wire.EarliestBegin, at now: Date) {
        guard begin.date > now else { return nil }
        self.init(date: begin.date, asks: begin.asks)
    }
}
