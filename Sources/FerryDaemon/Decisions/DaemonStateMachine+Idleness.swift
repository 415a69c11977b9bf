import FerryStore
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// Whether the daemon was asked to stop.
    var isStopping: Bool { lifetime.stage == .stopping }

    /// Whether the daemon ends because it is idle.
    var isIdle: Bool { lifetime.stage == .idle }

    private var isBusy: Bool {
        !running.isEmpty || !lifetime.connections.isEmpty || !work.isEmpty || !creations.isEmpty
            || search.nextRetry != nil || !watch.avoided.isEmpty || isRelaunchPending
    }

    private var isRelaunchPending: Bool {
        applications.values.contains { application in
            application.isLaunching || application.isLaunched
                || (application.record.launch != nil && !application.record.quit
                    && sessions.values.contains {
                        $0.applicationID == application.record.id && $0.isToBeLaunched
                    })
        } || sessions.values.contains(where: \.isUncounted)
    }

    /// Checks whether the daemon still has a reason to stay.
    mutating func evaluateIdleness() {
        switch lifetime.stage {
        case .idle: break
        case .stopping: if work.allowsEnd, lifetime.exit() { turn.add(.exit) }
        case .serving:
            let end = isBusy ? nil : now.addingTimeInterval(policy.idleTime)
            if lifetime.plan(idleEnd: end) { turn.add(.setTimer(.idle, end)) }
        }
    }

    /// The daemon has had nothing to do for a while.
    mutating func idleTimePassed() {
        lifetime.idleTimePassed()
        if !isBusy { query(.totals) }
    }

    /// The store has returned the number of tasks.
    mutating func counted(_ totals: SessionCounts) {
        guard !isBusy, !isStopping else { return }
        // A waiting task that was overlooked is not left behind.
        guard totals.waitingTasks == 0 else {
            turn.searchForTasks()
            return
        }
        lifetime.endIdle()
        turn.add(.log(.info, "nothing to do", task: nil))
        turn.add(.exit)
    }

    /// A client has connected at the last moment.
    mutating func proceed() {
        lifetime.proceed()
        turn.searchForTasks()
    }

    /// Ends the process as soon as the work under way is in the store; transfers continue next time.
    mutating func stopDaemon(call: CallID?) {
        if let call { turn.add(.answer(call, .done)) }
        guard !isStopping else { return }
        lifetime.stop()
        for id in running.ids.sorted() { turn.add(.stop(task: id)) }
        for task in running.sorted(where: { $0.phase == .loading }) {
            commit(storeProgress(of: task.record.id))
        }
        running.stop()
    }
}
