/// Keeps account of a session's final events: which are new, and when all that waited are told.
struct EventLedger {
    /// At how many events that were not told yet no more are taken in, so that a slow delegate does
    /// not fill the memory.
    static let limit = 256

    private var highestSequence = Int64.min
    private var untoldCount = 0
    /// How many of the events that waited for this process are still to be told.
    private var untoldOldCount = 0
    private var isDrained = false
    private var hasToldEnd = false

    /// Whether to stop reading for a while.
    var isFull: Bool { untoldCount >= Self.limit }

    /// Whether to go on reading.
    var hasRoom: Bool { untoldCount <= Self.limit / 2 }

    /// Whether events that come now have waited for this process.
    var isOld: Bool { !isDrained }

    /// An event with this number has come.
    ///
    /// - Returns: Whether it is new: after a lost connection the daemon tells again what was not
    ///   acknowledged.
    mutating func receive(sequence: Int64) -> Bool {
        guard sequence > highestSequence else { return false }
        highestSequence = sequence
        untoldCount += 1
        if isOld { untoldOldCount += 1 }
        return true
    }

    /// The app is asked something.
    ///
    /// - Returns: Whether the question has waited for this process; then it has to be settled before the end is told.
    mutating func receiveQuestion() -> Bool {
        if isOld { untoldOldCount += 1 }
        return isOld
    }

    /// A question was settled that had waited for this process.
    ///
    /// - Returns: Whether it was the last of all that waited.
    mutating func settledQuestion() -> Bool {
        untoldOldCount -= 1
        return tellsEnd()
    }

    /// From here on events have the numbers of another session.
    mutating func renumber() { highestSequence = .min }

    /// Everything that waited has come.
    ///
    /// - Returns: Whether it has also been told.
    mutating func drained() -> Bool {
        isDrained = true
        return tellsEnd()
    }

    /// An event was told.
    ///
    /// - Parameter wasOld: What ``isOld`` was when it came.
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
