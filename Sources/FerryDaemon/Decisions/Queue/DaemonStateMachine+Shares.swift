import FerryHTTP
import FerryStore
import FerryWire
import FoundationEssentials

// Applications have equal shares of the slots, both of all and of a host's: a waiting application gets the slot of
// one that has at least two more (max-min fairness). Other applications may have the slots that one does not need. A
// stalled transfer, which receives almost nothing, is preempted for any waiting task. Both happen only while a task
// waits. A stalled transfer goes first, then lent connections are revoked. A request that a server would act on twice is
// not repeated.
extension DaemonStateMachine {
    // MARK: Planning reviews

    /// Plans a review of the shares for when a transfer may have to leave its slot to a waiting task.
    mutating func reviewSharesSoon() {
        let soonest = now + policy.shareReviewInterval
        guard !shares.hasReview(by: soonest) else { return }
        // Lent connections may come back at once.
        let ends = holders(of: nil).map { task in
            let isAlone = task.lentConnections.count(to: nil) == 0
            return isAlone ? task.pace.since + policy.minimumSlotTime : soonest
        }
        planReview(at: max(soonest, ends.min() ?? soonest))
    }

    /// Plans a review of the shares for when the first task that left its slot may have one again; no other task
    /// waited when the search started, which passed over the tasks that had left theirs.
    ///
    /// A task that is made meanwhile does not wait for that.
    mutating func reviewSharesForPreempted(since start: Date) {
        guard let end = shares.nextPreemptionEnd(after: start) else { return }
        defer { shares.recordEarlierReview() }
        planReview(at: max(now + policy.shareReviewInterval, end))
    }

    private mutating func planReview(at date: Date) {
        guard !isStopping, shares.planReview(at: date) else { return }
        turn.add(.setTimer(.shares, date))
    }

    /// Asks the store which tasks wait for a slot, if slots are scarce.
    mutating func reviewShares() {
        shares.forgetReview()
        guard !isStopping, running.budget.free == 0 || !running.budget.saturatedHosts.isEmpty else {
            return
        }
        guard !search.isUnderWay else { return reviewSharesSoon() }
        search.begin(forShares: true)
        query(.candidates(candidateSearch(forShares: true, at: now)))
    }

    // MARK: Making room

    /// Takes the slot of another transfer for a waiting task, if one must leave; its bytes are kept.
    ///
    /// - Returns: Whether one leaves, or returns a connection.
    mutating func makeRoom(for task: TaskRecord) -> Bool {
        // If its host is full, only a slot of that host is of use.
        let host = running.budget.isFull(host: task.host) ? task.host : nil
        let holders = holders(of: host)
        let own =
            running.budget.slots(of: application(of: task), host: host)
            + search.reservedCount(for: application(of: task))
        if let stalled = firstStalled(of: holders, host: host, at: now) {
            preempt(stalled, asStalled: true)
            return true
        }
        if revokeConnection(to: host, ifMoreThan: own + 1) {
            search.reserve(for: task.id, of: application(of: task))
            return true
        }
        if let richest = victim(of: holders, having: own + 2, host: host, at: now) {
            preempt(richest, asStalled: false)
            return true
        }
        guard own == 0 else { return false }
        // There are more applications than slots: they take turns with transfers that can resume later.
        let oldest = holders.filter { task in
            task.keepsBytes && !task.isActedUpon && now >= task.pace.since + policy.stallTime
        }
        .min { $0.pace.since < $1.pace.since }
        guard let oldest else { return false }
        preempt(oldest, asStalled: false)
        return true
    }

    /// Returns the transfers that have slots, of all hosts or of one, in order.
    private func holders(of host: String?) -> [RunningTask] {
        running.sorted { task in
            task.slot == .transfer && task.phase == .loading && task.question == nil
                && (host == nil || task.record.host == host)
        }
    }

    /// Returns the transfer that has stalled longest, of the application that has the most slots.
    private func firstStalled(
        of holders: [RunningTask],
        host: String?,
        at now: Date
    ) -> RunningTask? {
        let stalled = holders.filter { isStalled($0, at: now) }
        guard !stalled.isEmpty else { return nil }
        let slots = running.budget.slots(host: host)
        return stalled.min { first, second in
            let (one, other) = (
                slots[application(of: first.record)] ?? 0,
                slots[application(of: second.record)] ?? 0
            )
            return one == other ? first.pace.since < second.pace.since : one > other
        }
    }

    /// Returns the transfer that must leave its slot, of the application with the most slots, if it has at least
    /// `count`.
    ///
    /// One that keeps its bytes is preferred, then the one that has had its slot for the shortest time.
    private func victim(
        of holders: [RunningTask],
        having count: Int,
        host: String?,
        at now: Date
    ) -> RunningTask? {
        let counts = slotsToKeep(host: host, at: now)
        func slots(of task: RunningTask) -> Int { counts[application(of: task.record)] ?? 0 }
        let candidates = holders.filter { task in
            slots(of: task) >= count && !task.isActedUpon
                && now >= task.pace.since + policy.minimumSlotTime
        }
        return candidates.max { first, second in
            if slots(of: first) != slots(of: second) {
                return slots(of: first) < slots(of: second)
            }
            if first.keepsBytes != second.keepsBytes { return second.keepsBytes }
            return first.pace.since < second.pace.since
        }
    }

    private mutating func preempt(_ task: RunningTask, asStalled isStalled: Bool) {
        let id = task.record.id
        let reason =
            isStalled
            ? "slower than \(Int(policy.stallRate)) bytes per second"
            : "its application has more than its share"
        if isStalled { shares.preempted(id, at: now) }
        turn.add(.log(.info, "preempted: \(reason)", task: id))
        interrupt(task)
    }

    // MARK: Stalled transfers

    /// Returns when a transfer may be preempted as stalled.
    private func stallEnd(of task: RunningTask) -> Date {
        let time = shares.stallLimit(of: task.record.id)
        guard task.isActedUpon else { return task.pace.since + time }
        // A server that has everything may take long to answer, but not forever.
        let sent = task.sentByteCount == nil ? task.pace.since : task.pace.latest
        return max(task.pace.since + time, sent + policy.answerTime)
    }

    /// Returns whether a transfer has stalled, without a rate limit that may have caused it.
    private func isStalled(_ task: RunningTask, at now: Date) -> Bool {
        guard now >= stallEnd(of: task),
            task.pace.rate(task.carriedByteCount, at: now) < policy.stallRate
        else { return false }
        let limits = [
            task.options?.rates, sessions[task.record.sessionID]?.configuration.rates,
            ratesInForce,
        ]
        return limits.allSatisfy { $0 == nil || $0 == SharedRates() }
    }

    /// Returns the wait of a task that was preempted because it had stalled; `nil` if it was not.
    func preemptionWait(of task: TaskID, at now: Date) -> Wire.Wait? {
        guard let until = shares.preemptionEnd(of: task, after: now) else { return nil }
        return Wire.Wait(
            reason: .fairShare,
            until: until,
            detail: """
                it brought fewer than \(Int(policy.stallRate)) bytes per second, and others wait; it goes on as \
                soon as there is room
                """
        )
    }
}

extension DaemonStateMachine {
    /// The pace of a transfer.
    struct Pace: Hashable, Sendable {
        /// The minimum time over which a rate is measured, in seconds.
        private static let interval: Double = 30
        /// When the transfer got its slot.
        let since: Date
        /// When it last received or sent something.
        private(set) var latest: Date
        private var start: Date
        private var startByteCount: Int64
        private var lastRate: Double?

        /// Starts when a transfer gets its slot, with the bytes carried before.
        init(byteCount: Int64, at now: Date) {
            since = now
            latest = now
            start = now
            startByteCount = byteCount
        }

        /// Corrects the number of bytes carried before.
        mutating func goesOn(behind byteCount: Int64) { startByteCount = byteCount }

        /// Records the number of bytes carried by now.
        mutating func record(_ byteCount: Int64, at now: Date) {
            latest = now
            guard now.timeIntervalSince(start) >= Self.interval else { return }
            lastRate = rate(byteCount, at: now)
            start = now
            startByteCount = byteCount
        }

        /// Returns the recent rate in bytes per second, given the number of bytes carried by now.
        func rate(_ byteCount: Int64, at now: Date) -> Double {
            let seconds = now.timeIntervalSince(start)
            if seconds < Self.interval, let lastRate { return lastRate }
            return Double(max(0, byteCount - startByteCount)) / max(seconds, 0.001)
        }
    }
}

extension DaemonStateMachine.RunningTask {
    /// Whether a server may act twice if it is asked again: it has all of an upload, or a request other than GET and
    /// HEAD.
    var isActedUpon: Bool {
        if let hasSentAll { return hasSentAll }
        let method = (currentRequest ?? request)?.method
        return method != "GET" && method != "HEAD"
    }

    /// Whether its server has all of an upload; `nil` if it is none.
    var hasSentAll: Bool? {
        record.upload?.value.map { sentByteCount ?? 0 >= $0.byteCount }
    }

    /// Whether it can resume where it was stopped, as far as its server has shown.
    fileprivate var keepsBytes: Bool {
        guard sentByteCount == nil else { return resource != nil }
        guard let response, (200..<300).contains(response.status) else {
            return receivedByteCount == 0
        }
        let hasValidator =
            response.fields.first(named: "ETag").map { !$0.hasPrefix("W/") }
            ?? (response.fields.first(named: "Last-Modified") != nil)
        return hasValidator && response.fields.first(named: "Accept-Ranges") != "none"
    }
}
