import FerryStore
import FerryWire
import FoundationEssentials

// Only the dates that applications have given follow the time of day. When the clock is set, each task that waits for
// such a date gets the date's new moment. A pass over these tasks ends before the next one begins, so that no commit of
// an earlier pass comes late.
extension DaemonStateMachine {
    /// The daemon's clock.
    var clock: DaemonClock { timekeeping.clock }

    /// The time of day may have been set.
    mutating func clockSet(_ noted: DaemonClock) {
        guard !isStopping, timekeeping.set(noted) else { return }
        turn.add(.log(.notice, "the clock was set", task: nil))
        followClock()
        followHours()
    }

    /// Updates all tasks that wait for a time of day to the right moment.
    mutating func followClock() {
        guard !clock.isNewBoot else { return takeUpClock() }
        if timekeeping.beginPass() { query(.dated(after: 0)) }
    }

    /// The store has returned tasks that wait for a date; none after the last.
    mutating func found(dated tasks: [TaskRecord]) {
        guard let last = tasks.last else { return endClockPass() }
        let changes = tasks.compactMap { task -> Mutation? in
            guard let notBefore = task.notBefore, let date = task.delay?.value?.date
            else { return nil }
            let moment = clock.moment(ofWall: date)
            guard abs(moment.timeIntervalSince(notBefore)) > DaemonClock.tolerance else {
                return nil
            }
            return .retimeTask(task.id, from: notBefore, to: moment, at: now)
        }
        guard !changes.isEmpty else { return query(.dated(after: last.id)) }
        commit(changes, then: .retimed(through: last.id, count: changes.count))
    }

    /// The store has the right moment of some of them.
    ///
    /// A task that was postponed since it was read still has the wrong one, and is read again.
    mutating func retimed(_ receipt: Receipt, through task: TaskID, count: Int) {
        if receipt.changes.count < count { timekeeping.repeatPass() }
        query(.dated(after: task))
        query(.earliestDeadline)
        changed(receipt.changes)
    }

    private mutating func endClockPass() {
        if timekeeping.endPass() {
            followClock()
        } else {
            commit([.set(.clock(Encoded(clock.anchor)))], .relaxed)
        }
    }

    /// A pass over the tasks that wait for a date has failed.
    mutating func clockPassFailed(until later: Date) {
        _ = timekeeping.endPass()
        turn.add(.setTimer(.clock, later))
    }

    /// Takes up the clock in a new boot, before any task follows it.
    ///
    /// The clock may have been set meanwhile, by an unknown amount: a wait longer than
    /// ``DaemonPolicy/longestBelievedWait`` ends, and a time that began in the future begins now. A failed commit is
    /// not repeated unchanged: by then tasks may have begun in this boot, whose times are right.
    private mutating func takeUpClock() {
        let set = Mutation.set(.clock(Encoded(clock.anchor)))
        commit(
            [set, .distrustTimes(at: now, longestWait: policy.longestBelievedWait)],
            .relaxed,
            then: .clockTakenUp
        )
    }

    /// The moments in the store are corrected as far as possible: the earliest ones may have changed.
    mutating func clockTakenUp() {
        timekeeping.takeUp()
        query(.earliestDeadline)
        turn.searchForTasks()
        followClock()
    }
}

/// The clock, and the state of the pass over the tasks that wait for a time of day.
struct Timekeeping: Hashable, Sendable {
    private enum Pass: Hashable, Sendable {
        case none
        case underWay
        /// The clock was set since it began, or a task has changed while it was examined.
        case stale
    }

    /// The clock.
    private(set) var clock: DaemonClock
    private var pass = Pass.none

    init(clock: DaemonClock) { self.clock = clock }

    /// Whether a pass is under way.
    var isPassUnderWay: Bool { pass != .none }

    /// The clock may have been set.
    ///
    /// - Returns: Whether it was.
    mutating func set(_ clock: DaemonClock) -> Bool {
        guard clock != self.clock else { return false }
        self.clock = clock
        return true
    }

    /// The clock is taken up in this boot.
    mutating func takeUp() { clock.takeUp() }

    /// Begins a pass over the tasks, or requests another one.
    ///
    /// - Returns: Whether it begins now; otherwise another one begins when the current one is over.
    mutating func beginPass() -> Bool {
        pass = pass == .none ? .underWay : .stale
        return pass == .underWay
    }

    /// Requests another pass after the one that is under way.
    mutating func repeatPass() { pass = .stale }

    /// Ends a pass, which is complete or has failed.
    ///
    /// - Returns: Whether another pass was requested.
    mutating func endPass() -> Bool {
        defer { pass = .none }
        return pass == .stale
    }
}
