import FerryStore
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// How far the daemon is.
    enum Stage: Hashable, Sendable {
        /// It serves.
        case serving
        /// It ends because it has nothing to do, unless somebody comes.
        case idle
        /// It has been told to stop.
        case stopping
    }

    /// Whether the daemon has been told to stop.
    var isStopping: Bool { stage == .stopping }

    private var isBusy: Bool {
        !running.isEmpty || !connections.isEmpty || !work.isEmpty || !creations.isEmpty
            || search.nextRetry != nil || isRelaunchPending
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

    /// Looks whether there is anything left to stay for.
    func evaluateIdleness(at now: Date) -> [Effect] {
        switch stage {
        case .idle: []
        case .stopping: work.allowsEnd ? [.exit] : []
        case .serving: isBusy ? [] : [.setTimer(.idle, now.addingTimeInterval(policy.idleTime))]
        }
    }

    /// The daemon has had nothing to do for a while.
    mutating func idleTimePassed(at now: Date) -> [Effect] {
        isBusy ? [] : [query(.totals)]
    }

    /// How many tasks there are, as just read.
    mutating func counted(_ totals: SessionCounts, at now: Date) -> [Effect] {
        guard !isBusy, !isStopping else { return [] }
        // Whatever was overlooked, a task that waits is not left behind.
        guard totals.waitingTasks == 0 else { return searchForTasks(at: now) }
        stage = .idle
        return [.log(.info, "nothing to do", task: nil), .exit]
    }

    /// A client has come at the last moment.
    mutating func goOn(at now: Date) -> [Effect] {
        if stage == .idle { stage = .serving }
        return searchForTasks(at: now) + evaluateIdleness(at: now)
    }

    /// Ends the process as soon as what is under way is in the store; transfers go on next time.
    mutating func stopDaemon(call: CallIdentifier?) -> [Effect] {
        var effects: [Effect] = call.map { [.answer($0, .done)] } ?? []
        guard !isStopping else { return effects }
        stage = .stopping
        for id in running.keys.sorted() { effects.append(.stop(task: id)) }
        let loading = running.values.filter { $0.phase == .loading }
        for task in loading.sorted(by: { $0.record.id < $1.record.id }) {
            effects.append(commit(storeProgress(of: task.record.id)))
        }
        running = running.filter { $0.value.phase == .finishing }
        return effects + (work.allowsEnd ? [.exit] : [])
    }
}
