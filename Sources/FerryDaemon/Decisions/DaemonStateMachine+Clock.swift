import FerryStore
import FoundationEssentials

// Only the dates that applications have given follow the time of day. When that is set, each task that waits for such a
// date gets the moment that the date is now. A pass over them has come to its end before the next begins, so that no
// commit of an earlier one comes late.
extension DaemonStateMachine {
    /// What time it is.
    var clock: DaemonClock { timekeeping.clock }

    /// The time of day may have been set.
    mutating func clockSet(_ noted: DaemonClock, at now: Date) -> [Effect] {
        guard !isStopping, timekeeping.set(noted) else { return [] }
        return [.log(.notice, "the clock was set", task: nil)] + followClock(at: now)
    }

    /// Has all tasks that wait for a time of day wait for the right moment.
    mutating func followClock(at now: Date) -> [Effect] {
        guard !clock.isNewBoot else { return takeUpClock(at: now) }
        return timekeeping.beginPass() ? [query(.dated(after: 0))] : []
    }

    /// Tasks that wait for a date, as just read; none when all were.
    mutating func found(dated tasks: [TaskRecord], at now: Date) -> [Effect] {
        guard let last = tasks.last else { return endClockPass(at: now) }
        let changes = tasks.compactMap { task -> Mutation? in
            guard let notBefore = task.notBefore, let date = DelayState.decode(task.delay)?.date
            else { return nil }
            let moment = clock.moment(ofWall: date)
            guard abs(moment.timeIntervalSince(notBefore)) > DaemonClock.tolerance else {
                return nil
            }
            return .retimeTask(task.id, from: notBefore, to: moment, at: now)
        }
        guard !changes.isEmpty else { return [query(.dated(after: last.id))] }
        return [commit(changes, then: .retimed(through: last.id))]
    }

    /// Some of them have the right moment in the store.
    mutating func retimed(_ receipt: Receipt, through task: Int64, at now: Date) -> [Effect] {
        [query(.dated(after: task)), query(.earliestDeadline)] + changed(receipt.changes, at: now)
    }

    private mutating func endClockPass(at now: Date) -> [Effect] {
        timekeeping.endPass()
            ? followClock(at: now) : [commit([.set(.clock, clock.anchor.encoded)], .relaxed)]
    }

    /// The store could not say which tasks wait for a date.
    mutating func clockPassFailed(until later: Date) -> [Effect] {
        _ = timekeeping.endPass()
        return [.setTimer(.clock, later)]
    }

    /// Takes up the clock in another boot, before anything follows it.
    ///
    /// It may have been set meanwhile, and nobody can say by how much: a wait that is longer than any is over, and a time that
    /// began in the future begins now. That is not made again as it is when the disk does not take it: by then tasks may have
    /// begun in this boot, whose times are right.
    private mutating func takeUpClock(at now: Date) -> [Effect] {
        let set = Mutation.set(.clock, clock.anchor.encoded)
        return [
            commit(
                [set, .distrustTimes(at: now, longestWait: policy.longestBelievedWait)],
                .relaxed,
                then: .clockTakenUp
            )
        ]
    }

    /// The moments in the store are as right as they can be: those that come first may be others than before.
    mutating func clockTakenUp(at now: Date) -> [Effect] {
        timekeeping.takeUp()
        return [query(.earliestDeadline)] + searchForTasks(at: now) + followClock(at: now)
    }
}
