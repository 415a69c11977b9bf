import FerryStore
import FerryWire
import FoundationEssentials

/// What the store keeps about a task that was not to begin before a date.
struct DelayState: StoredRecord, Hashable {
    /// The date, a time of day, while it lies ahead.
    var date: Date?
    /// Whether its application is still to be asked before it begins.
    var asks: Bool
    /// What its application wants to be sent in place of the task's request.
    var request: Wire.Request?
}

extension TaskRecord {
    /// The request that is sent: the task's, what its application wanted in its place when it was to begin, or
    /// what has the resource's latest address.
    var requestToSend: Wire.Request? { replacement ?? Stored.request(request) }

    /// What is sent in place of the task's request, if anything.
    var replacement: Wire.Request? {
        LinkState.decode(link)?.request ?? DelayState.decode(delay)?.request
    }
}

extension DelayState {
    /// What a client asks for; `nil` for a date that has passed.
    init?(_ begin: Wire.EarliestBegin, at now: Date) {
        guard begin.date > now else { return nil }
        self.init(date: begin.date, asks: begin.asks)
    }
}
