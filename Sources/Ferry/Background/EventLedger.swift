/// Records a session's final events: which are new, and when all that waited have been delivered.
struct EventLedger {
    /// The number of undelivered events at which reading pauses, so that a slow delegate does not fill the memory.
    static let limit = 256

    private var highestSequence = Int64.min
    private var untoldCount = 0
    /// The number of undelivered events that waited for this process.
    private var untoldOldCount = 0
    private var isDrained = false
    private var hasToldEnd = false

    /// Whether to stop reading for a while.
    var isFull: Bool { untoldCount >= Self.limit }

    /// Whether to continue reading.
    var hasRoom: Bool { untoldCount <= Self.limit / 2 }

    /// Whether events that arrive now have waited for this process.
    var isOld: Bool { !isDrained }

    /// Records an event with this number.
    ///
    /// - Returns: Whether it is new: after a lost connection the daemon repeats events that were not acknowledged.
    mutating func receive(sequence: Int64) -> Bool {
        guard sequence > highestSequence else { return false }
        highestSequence = sequence
        untoldCount += 1
        if isOld { untoldOldCount += 1 }
        return true
    }

    /// Records a question to the app.
    ///
    /// - Returns: Whether the question has waited for this process; then it must be settled before the end is reported.
    mutating func receiveQuestion() -> Bool {
        if isOld { untoldOldCount += 1 }
        return isOld
    }

    /// Records that a question that had waited for this process was settled.
    ///
    /// - Returns: Whether it was the last of all that waited.
    mutating func settledQuestion() -> Bool {
        untoldOldCount -= 1
        return tellsEnd()
    }

    /// Prepares for events with the numbers of another session.
    mutating func renumber() { highestSequence = .min }

    /// Records that all events that waited have arrived.
    ///
    /// - Returns: Whether they have also been delivered.
    mutating func drained() -> Bool {
        isDrained = true
        return tellsEnd()
    }

    /// Records that an event was delivered.
    ///
    /// - Parameter wasOld: The value of ``isOld`` when it arrived.
    /// - Returns: Whether it was the last of all that waited.
    mutating func told(wasOld: Bool) -> Bool {
        untoldCount -= 1
        if wasOld { untoldOldCount -= 1 }
        return tellsEnd()
    }

    private mutating func tellsEnd() -> Bool {
        guard isDrained, untoldOldCount == 0, !hasToldEnd else { return false }
        hasToldEnd = true
        return true
    }
}
