import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

// Before the machine sleeps or shuts down, transfers stop, their bytes are forced onto the disk, and the store learns of
// them; only then does ferryd let go of its inhibitor. When the machine wakes up, every connection from before is
// dead, and nothing has told this process so: transfers go on over new ones at once.
extension DaemonStateMachine {
    /// The machine is about to sleep or to shut down.
    ///
    /// - Parameter delay: For how long it waits, in seconds.
    mutating func machineSleeps(delay: Double = 0) {
        guard !isStopping, sleep.announce() else { return }
        let tasks = running.sorted { $0.phase == .loading && !$0.isActedUpon }
        turn.add(.log(.info, "the machine is about to sleep or to shut down", task: nil))
        turn.add(.setTimer(.sleep, now + delay + policy.sleepTimeout))
        turn.add(.waitsChanged)
        for task in tasks { flush(task) }
        allowSleepIfSettled()
    }

    /// The machine has neither slept nor shut down, and nobody has said that it does not.
    mutating func sleepTimePassed() {
        guard !sleep.allowsStarts else { return }
        let text = "the machine was to sleep or to shut down, and has not done so"
        turn.add(.log(.notice, text, task: nil))
        machineGoesOn(hasSlept: false)
    }

    /// Stops a transfer, and has its bytes forced onto the disk.
    private mutating func flush(_ task: RunningTask) {
        let id = task.record.id
        let progress = storeResponse(of: id) + storeProgress(of: id)
        sleep.settle(id)
        work.begin(in: .partialFile)
        // Reported later in any case; the transfer's end finds nothing left to stop.
        turn.add(.flush(task: id))
        stop(task: id)
        commit(progress, .relaxed)
        turn.add(.changed(task: id))
    }

    /// The bytes of a stopped transfer are on the disk, or could not be forced there.
    ///
    /// - Parameters:
    ///   - id: The task.
    ///   - checkpoint: What is known about its file; `nil` for nothing new.
    mutating func flush(task id: TaskID, _ checkpoint: Encoded<ByteState>?) {
        work.end(in: .partialFile)
        sleep.settled(id)
        readings.record(id)
        // A task that ends has no more use for it.
        if checkpoint != nil, !endings.contains(id) {
            commit([.setCheckpoint(task: id, checkpoint)], .relaxed)
        }
        allowSleepIfSettled()
    }

    /// Lets the machine sleep as soon as the store has everything that was committed so far.
    private mutating func allowSleepIfSettled() {
        // What is known of the clock must not be ahead of the tasks that follow it; otherwise the machine waits for as
        // long as logind lets it.
        guard sleep.isSettled, !clock.isNewBoot, !timekeeping.isPassUnderWay else { return }
        // A commit that is waited for makes all before it durable, too; it has to contain something.
        let last = Mutation.set(.clock(Encoded(clock.anchor)))
        commit([last], .synchronized, then: .readyForSleep)
    }

    /// The store has everything, or could not take it: there is nothing more to wait for.
    mutating func readyForSleep() {
        guard sleep.allow() else { return }
        turn.add(.log(.info, "all transfers are at rest", task: nil))
        turn.add(.allowSleep)
    }

    /// The machine has woken up, or does not sleep after all.
    ///
    /// - Parameter hasSlept: Whether it has slept; if it was only about to, what runs has its connection still.
    mutating func machineGoesOn(hasSlept: Bool) {
        let wasAnnounced = sleep.proceed()
        guard !isStopping, wasAnnounced || hasSlept else { return }
        let lost = hasSlept ? running.sorted { $0.phase == .loading } : []
        turn.add(.log(.info, "the machine is awake: transfers continue", task: nil))
        // Their connections have not outlasted the sleep, which counts as no failed attempt.
        for task in lost { interrupt(task) }
        // What has failed before may have another network now.
        breaker.tryAll()
        turn.add(.waitsChanged)
        turn.add(.renewConnections)
        if wasAnnounced {
            turn.add(.setTimer(.sleep, nil))
            turn.add(.inhibit(sleep.inhibition))
        }
    }
}

// What is held follows the transfers only now and then: thousands of small files make a few calls over the bus.
extension DaemonStateMachine {
    /// Has it reviewed a moment later what is to be held against the machine's sleep.
    mutating func reviewInhibitionSoon() {
        guard sleep.planReview() else { return }
        turn.add(.setTimer(.inhibition, now.addingTimeInterval(policy.inhibitionDelay)))
    }

    /// Holds what is to be held against the machine's sleep.
    mutating func reviewInhibition() {
        // While the machine is about to sleep, what is held stays as it is.
        let wanted = sleep.allowsStarts ? wantedInhibition : sleep.inhibition
        if sleep.review(wanted: wanted) { turn.add(.inhibit(wanted)) }
    }

    private var wantedInhibition: MachineSleep.Inhibition {
        running.values.reduce(into: []) { $0.formUnion($1.inhibition) }
    }
}
