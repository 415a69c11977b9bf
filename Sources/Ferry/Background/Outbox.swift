/// The calls that the daemon has not acknowledged yet, in their order.
///
/// Answers come in the order of the calls; after a lost connection all calls that are left are sent
/// again, from the first.
struct Outbox {
    struct Entry: Sendable {
        let number: UInt64
        fileprivate(set) var call: BackgroundCall
        /// Whether the daemon may know of the call, from this connection or an earlier one.
        fileprivate(set) var wasSent = false
        /// How often the daemon could not carry it out for reasons that may pass.
        fileprivate(set) var failureCount = 0
        /// Called on the loop when the daemon has refused the call for good.
        let onRefusal: (@Sendable (TransferDaemonError) -> Void)?
    }

    private var entries: [Entry?] = []
    /// How many entries at the front are done with, and nil; they are removed many at a time.
    private var doneCount = 0
    /// How many entries, of those that are done with and those that are not, this connection has.
    private var sentCount = 0
    private var nextNumber: UInt64 = 0
    /// The tasks whose creation is among the calls, and whether they have ended.
    private var creations: [Int: Bool] = [:]
    private var barriers: [(number: UInt64, continuation: @Sendable () -> Void)] = []

    var isEmpty: Bool { entries.count == doneCount }

    /// Whether the connection has no call that is not done with, and there are some that it does not have.
    var isHeldUp: Bool { !isEmpty && sentCount == doneCount }

    private var pending: some Sequence<Entry> { entries[doneCount...].lazy.compactMap(\.self) }
    private var first: Entry? { isEmpty ? nil : entries[doneCount] }

    /// Adds a call behind all others, or to a call that creates the task that it is about.
    mutating func add(
        _ call: BackgroundCall,
        onRefusal: (@Sendable (TransferDaemonError) -> Void)? = nil
    ) {
        if !isEmpty, var last = entries[entries.count - 1], !last.wasSent, last.call.absorb(call) {
            entries[entries.count - 1] = last
            return
        }
        if case .create(let task) = call { creations[task.identifier] = false }
        entries.append(Entry(number: nextNumber, call: call, onRefusal: onRefusal))
        nextNumber += 1
    }

    /// Nothing was handed over to the connection that there is now.
    mutating func beginConnection() { sentCount = doneCount }

    /// A task has ended, perhaps before its creation was acknowledged.
    mutating func taskEnded(_ task: Int) {
        if creations[task] != nil { creations[task] = true }
    }

    /// The connection is gone: what it was asked for tasks that have ended is asked of no other one, which might not know
    /// that they have, and would begin them anew.
    ///
    /// - Returns: Who waited for that.
    mutating func endConnection() -> [@Sendable () -> Void] {
        guard creations.values.contains(true) else { return [] }
        entries = pending.filter { $0.call.task.map { creations[$0] != true } ?? true }
        creations = creations.filter { !$0.value }
        doneCount = 0
        sentCount = 0
        return takeReachedBarriers()
    }

    /// Why calls were kept.
    enum Remainder: Equatable {
        /// None were.
        case nothing
        /// The last one creates a task that is likely to be resumed.
        case incomplete
        /// The next one has to wait until its file is open, and those behind it with it; and whether all before it
        /// are done with.
        case file(OutgoingFile, isFirst: Bool)
    }

    /// Hands over the calls that this connection does not have.
    ///
    /// - Parameters:
    ///   - keepsIncomplete: Whether to keep a task for now that is likely to be resumed.
    ///   - send: Is handed the calls.
    /// - Returns: What was kept.
    mutating func sendNew(keepsIncomplete: Bool, _ send: (Entry) -> Void) -> Remainder {
        while sentCount < entries.count, var entry = entries[sentCount] {
            if keepsIncomplete, sentCount == entries.count - 1, entry.call.isIncomplete,
                !entry.wasSent
            {
                return .incomplete
            }
            if let file = entry.call.file, !file.isReady {
                return .file(file, isFirst: sentCount == doneCount)
            }
            entry.wasSent = true
            entries[sentCount] = entry
            sentCount += 1
            send(entry)
        }
        return .nothing
    }

    /// The first call, if it is that one; any other answer is late, and its call is sent again.
    func first(number: UInt64) -> Entry? {
        guard let first, first.number == number else { return nil }
        return first
    }

    /// The first call is done with.
    ///
    /// - Returns: Who waited for that.
    mutating func removeFirst() -> [@Sendable () -> Void] {
        // Not later: its open file is one of few, and others wait for its end.
        if case .create(let task) = entries[doneCount]?.call { creations[task.identifier] = nil }
        entries[doneCount] = nil
        doneCount += 1
        if doneCount * 2 > entries.count {
            entries.removeFirst(doneCount)
            sentCount -= doneCount
            doneCount = 0
        }
        return takeReachedBarriers()
    }

    /// Gives up acknowledgements: they name events of a session that is gone.
    ///
    /// - Returns: Who waited for them.
    mutating func removeAcknowledgements() -> [@Sendable () -> Void] {
        entries = pending.filter { entry in
            if case .acknowledge = entry.call { false } else { true }
        }
        doneCount = 0
        // They are handed over anew, to the session that is there now.
        sentCount = 0
        return takeReachedBarriers()
    }

    /// The first call could not be carried out for now.
    ///
    /// - Returns: How often that was so.
    mutating func noteFailureOfFirst() -> Int {
        entries[doneCount]?.failureCount += 1
        return first?.failureCount ?? 0
    }

    /// Gives up all calls.
    ///
    /// - Returns: Who waited for them.
    mutating func removeAll() -> [@Sendable () -> Void] {
        entries = []
        creations = [:]
        doneCount = 0
        sentCount = 0
        return takeReachedBarriers()
    }

    /// Waits for all calls so far.
    ///
    /// - Returns: Whether there are none, so that the continuation is the caller's to call.
    mutating func wait(_ continuation: @escaping @Sendable () -> Void) -> Bool {
        guard !isEmpty else { return true }
        barriers.append((nextNumber, continuation))
        return false
    }

    private mutating func takeReachedBarriers() -> [@Sendable () -> Void] {
        let next = first?.number ?? nextNumber
        let reached = barriers.prefix { $0.number <= next }
        barriers.removeFirst(reached.count)
        return reached.map(\.continuation)
    }
}
