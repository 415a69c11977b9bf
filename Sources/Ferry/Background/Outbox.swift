/// The calls that the daemon has not acknowledged yet, in their order.
///
/// Answers arrive in the order of the calls. After a lost connection, all remaining calls are sent again,
/// from the first.
struct Outbox {
    struct Entry: Sendable {
        let number: UInt64
        fileprivate(set) var call: BackgroundCall
        /// Whether the daemon may know of the call, from this connection or an earlier one.
        fileprivate(set) var wasSent = false
        /// How often the daemon could not carry it out for reasons that may pass.
        fileprivate(set) var failureCount = 0
        /// Called on the loop when the daemon has refused the call permanently.
        let onRefusal: (@Sendable (TransferDaemonError) -> Void)?
    }

    private var entries: [Entry?] = []
    /// The number of entries at the front that are done, and nil; they are removed in batches.
    private var doneCount = 0
    /// The number of entries, done or not, that this connection has.
    private var sentCount = 0
    private var nextNumber: UInt64 = 0
    /// The tasks whose creation is among the calls, and whether they have ended.
    private var creations: [Int: Bool] = [:]
    private var barriers: [(number: UInt64, continuation: @Sendable () -> Void)] = []

    var isEmpty: Bool { entries.count == doneCount }

    /// Whether the connection has no unanswered call, although calls remain to be sent.
    var isHeldUp: Bool { !isEmpty && sentCount == doneCount }

    private var pending: some Sequence<Entry> { entries[doneCount...].lazy.compactMap(\.self) }
    private var first: Entry? { isEmpty ? nil : entries[doneCount] }

    /// Adds a call at the end, or merges it into the last call if that creates the same task, or if both acknowledge
    /// events.
    mutating func add(
        _ call: BackgroundCall,
        onRefusal: (@Sendable (TransferDaemonError) -> Void)? = nil
    ) {
        let last = entries.count - 1
        if !isEmpty, entries[last]?.wasSent == false, entries[last]?.call.absorb(call) == true {
            return
        }
        if case .create(let task) = call { creations[task.identifier] = false }
        entries.append(Entry(number: nextNumber, call: call, onRefusal: onRefusal))
        nextNumber += 1
    }

    /// Begins a connection that has no calls yet.
    mutating func beginConnection() { sentCount = doneCount }

    /// Records that a task has ended, perhaps before its creation was acknowledged.
    mutating func taskEnded(_ task: Int) {
        if creations[task] != nil { creations[task] = true }
    }

    /// Removes the calls about tasks that have ended, as the connection is lost: a later daemon might not know that
    /// they have ended, and would begin them again.
    ///
    /// - Returns: The continuations that waited for these calls.
    mutating func endConnection() -> [@Sendable () -> Void] {
        guard creations.values.contains(true) else { return [] }
        entries = pending.filter { $0.call.task.map { creations[$0] != true } ?? true }
        creations = creations.filter { !$0.value }
        doneCount = 0
        sentCount = 0
        return takeReachedBarriers()
    }

    /// The reason that calls were kept.
    enum Remainder: Equatable {
        /// No calls were kept.
        case nothing
        /// The last one is likely to include the next.
        case incomplete
        /// The next call waits for its file to be opened, as do those behind it; `isFirst` is whether all before it
        /// are done.
        case file(OutgoingFile, isFirst: Bool)
    }

    /// Sends the calls that this connection does not have.
    ///
    /// - Parameters:
    ///   - keepsIncomplete: Whether to keep a call for now that is likely to include the next.
    ///   - send: Called with each call.
    /// - Returns: The reason that calls were kept.
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

    /// Returns the first call, if it has this number; an answer to any other is late, and its call is sent again.
    func first(number: UInt64) -> Entry? {
        guard let first, first.number == number else { return nil }
        return first
    }

    /// Removes the first call, which is done.
    ///
    /// - Returns: The continuations that waited for it.
    mutating func removeFirst() -> [@Sendable () -> Void] {
        // Released at once: its open file is one of few, and other calls wait for it to be closed.
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

    /// Removes acknowledgements, which name events of a session that no longer exists.
    ///
    /// - Returns: The continuations that waited for them.
    mutating func removeAcknowledgements() -> [@Sendable () -> Void] {
        entries = pending.filter { entry in
            if case .acknowledge = entry.call { false } else { true }
        }
        doneCount = 0
        // The other calls are sent again, to the current session.
        sentCount = 0
        return takeReachedBarriers()
    }

    /// Records that the first call could not be carried out for now.
    ///
    /// - Returns: How often that has happened.
    mutating func recordFailureOfFirst() -> Int {
        entries[doneCount]?.failureCount += 1
        return first?.failureCount ?? 0
    }

    /// Removes all calls.
    ///
    /// - Returns: The continuations that waited for them.
    mutating func removeAll() -> [@Sendable () -> Void] {
        entries = []
        creations = [:]
        doneCount = 0
        sentCount = 0
        return takeReachedBarriers()
    }

    /// Waits for all calls so far.
    ///
    /// - Returns: Whether there are none; then the caller must call the continuation.
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
