import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// The search for tasks to start.
    struct Search: Hashable, Sendable {
        /// Whether the store is being asked.
        var isUnderWay = false
        /// Whether something has changed meanwhile.
        var isStale = false
        /// The host that was served last.
        var lastHost: String?
        /// When the next task is due that backs off.
        var nextRetry: Date?
        /// The tasks that have changed while the store is being asked: what it says of them may
        /// be out of date.
        private var changedTasks: Set<TaskKey> = []

        /// Begins a search.
        mutating func begin() {
            isUnderWay = true
            isStale = false
            changedTasks = []
        }

        /// Notes a task that has changed.
        mutating func note(_ task: Int64) { note(.id(task)) }

        /// Notes a task that has changed, of which perhaps only its session knows which one it is.
        mutating func note(_ key: TaskKey) {
            if isUnderWay { changedTasks.insert(key) }
        }

        /// Whether what the store says of a task may be out of date.
        func hasMissedChange(of task: TaskRecord) -> Bool {
            changedTasks.contains(.id(task.id))
                || changedTasks.contains(.identifier(session: task.sessionID, task.identifier))
        }
    }

    /// Looks for tasks to start, wherever there is room.
    mutating func searchForTasks(at now: Date) -> [Effect] {
        guard !isStopping else { return [] }
        guard !search.isUnderWay else {
            search.isStale = true
            return []
        }
        guard budget.free > 0 else { return [] }
        search.begin()
        return [query(.candidates(candidateSearch(at: now)))]
    }

    private func candidateSearch(at now: Date) -> CandidateSearch {
        var saturatedSessions: [String: Set<Int64>] = [:]
        for host in budget.activeHosts {
            saturatedSessions[host] = budget.saturatedSessions(host: host, limit: sessionLimit)
        }
        return CandidateSearch(
            now: now,
            limit: budget.free,
            limitPerHost: policy.maximumTransfersPerHost,
            saturatedHosts: budget.saturatedHosts.union(failingHosts(at: now)),
            saturatedSessions: saturatedSessions,
            runningTasks: Set(running.keys).union(ending.keys).union(adoptions)
                .union(unstoredChanges.keys),
            lastHost: search.lastHost
        )
    }

    /// The hosts that are left alone, as they have failed time and again.
    private func failingHosts(at now: Date) -> [String] {
        breaker.limits(at: now).keys.filter { isLeftAlone($0, at: now) }
    }

    /// Whether a host has failed time and again, so that nothing more is asked of it for a while.
    private func isLeftAlone(_ host: String, at now: Date) -> Bool {
        breaker.limit(host, at: now).map { budget.count(host: host) >= $0 } ?? false
    }

    /// The header fields that the requests of a session have.
    func additionalFields(ofSession session: Int64) -> [Wire.Field] {
        sessions[session]?.configuration.additionalFields ?? []
    }

    /// How many transfers a session may have from one host.
    func sessionLimit(_ session: Int64) -> Int {
        max(1, sessions[session]?.configuration.maximumConnectionsPerHost ?? 1)
    }

    /// A task that backs off may be due.
    mutating func retryTimePassed(at now: Date) -> [Effect] {
        search.nextRetry = nil
        return searchForTasks(at: now)
    }

    /// Sets or clears the timer for the tasks that back off.
    mutating func setRetryTimer(_ date: Date?) -> Effect {
        search.nextRetry = date
        return .setTimer(.retry, date)
    }

    /// Makes sure that a task is looked after that begins later.
    mutating func note(notBefore: Date?) -> [Effect] {
        guard let notBefore else { return [] }
        // A search that is under way may not have seen it, and sets the timer when it is over.
        if search.isUnderWay { search.isStale = true }
        guard search.nextRetry.map({ notBefore < $0 }) ?? true else { return [] }
        return [setRetryTimer(notBefore)]
    }

    /// The store has found tasks that may start.
    mutating func found(
        _ candidates: Candidates,
        since began: Date,
        at now: Date
    ) -> [Effect] {
        search.isUnderWay = false
        guard !isStopping else { return [] }
        var effects: [Effect] = []
        var hasStarted = false
        for task in candidates.tasks {
            if search.hasMissedChange(of: task) {
                search.isStale = true
            } else if start(task, at: now, &effects) {
                hasStarted = true
            }
        }
        // What has come to its end since the search began was not found by it.
        let next = [candidates.earliestNotBefore, breaker.earliestEnd(at: began)]
            .compactMap { $0 }
        effects.append(setRetryTimer(next.min()))
        // A page may have been cut by one host's limit while another host has room.
        if search.isStale || (hasStarted && budget.free > 0) {
            effects += searchForTasks(at: now)
        }
        return effects + evaluateIdleness(at: now)
    }

    /// Starts a task that still fits, or has its resume data taken over.
    ///
    /// - Returns: Whether the search may find others in its place.
    private mutating func start(
        _ task: TaskRecord,
        at now: Date,
        _ effects: inout [Effect]
    ) -> Bool {
        guard
            running[task.id] == nil, ending[task.id] == nil, !adoptions.contains(task.id),
            unstoredChanges[task.id] == nil,
            let session = sessions[task.sessionID],
            budget.admits(
                session: task.sessionID,
                host: task.host,
                sessionLimit: sessionLimit(task.sessionID)
            )
        else { return false }
        guard !isUnreachable(task.host) else {
            effects += awaitNetwork(task)
            return true
        }
        guard !isLeftAlone(task.host, at: now) else { return false }
        let adoption = adopt(task)
        guard adoption.isEmpty else {
            effects += adoption
            return true
        }
        search.lastHost = task.host
        running[task.id] = RunningTask(task, at: now)
        if DelayState.decode(task.delay)?.asks == true {
            effects += askToBegin(task, at: now)
            return true
        }
        budget.take(session: task.sessionID, host: task.host)
        effects.append(
            .start(
                TransferStart(
                    task: task,
                    additionalFields: session.configuration.additionalFields,
                    options: running[task.id]?.options,
                    asksForTrust: session.configuration.answersCertificates ?? false,
                    asksForLink: asksForLink(of: task)
                )
            )
        )
        effects.append(.changed(task: task.id))
        return true
    }

    /// Stops a task's transfer, where it has one, and gives its place to another.
    mutating func stop(task: Int64, at now: Date) -> [Effect] {
        guard let task = running.removeValue(forKey: task) else { return [] }
        let withdrawal = task.question == nil ? [] : withdrawQuestion(of: task, at: now)
        let stop = withdrawal + [.stop(task: task.record.id)]
        guard task.place != .none else { return stop }
        budget.give(
            session: task.record.sessionID,
            host: task.record.host,
            isParked: task.place == .parked
        )
        return stop + searchForTasks(at: now)
    }

    /// Gives the place of a task that needs no connection any more to another.
    ///
    /// Not without bound: with a disk that takes no ends, file would come upon file.
    mutating func vacate(task id: Int64, at now: Date) -> [Effect] {
        let vacatedCount = running.values.count { $0.place == .none && $0.phase != .asking }
        guard let task = running[id], task.place == .transfer,
            vacatedCount < policy.maximumTransfers
        else { return [] }
        running[id]?.place = .none
        budget.give(session: task.record.sessionID, host: task.record.host)
        return searchForTasks(at: now)
    }

    /// Why a task that waits does not run.
    func wait(of task: TaskRecord, at now: Date) -> Wire.Wait? {
        switch task.state {
        case .held, .heldSuspended:
            return Wire.Wait(reason: .paused, detail: "a person paused it")
        case .suspended, .completed:
            return nil
        case .waiting:
            break
        }
        if let running = running[task.id] {
            if let question = running.question {
                return Wire.Wait(reason: .application, detail: question.detail)
            }
            // With a full disk it takes a while until the store has the failure.
            guard let failure = running.failure else { return nil }
            let until = running.notBefore.flatMap { $0 > now ? $0 : nil }
            return Wire.Wait(reason: .backoff, until: until, detail: failure.message)
        }
        if isUnreachable(task.host) || task.notBefore == TaskRecord.networkWait {
            return Wire.Wait(reason: .network, detail: "no route leads off this machine")
        }
        if let until = task.notBefore, until > now {
            if task.attempts == 0, DelayState.decode(task.delay)?.date != nil {
                return Wire.Wait(reason: .earliestBegin, until: until)
            }
            let failure = task.lastError.flatMap { Stored.failure($0) }
            let isFull = failure?.code == TransferError.Code.diskFull.rawValue
            return Wire.Wait(
                reason: isFull ? .diskSpace : .backoff,
                until: until,
                detail: failure?.message
            )
        }
        if isLeftAlone(task.host, at: now) {
            let count = breaker.failureCount(task.host)
            return Wire.Wait(
                reason: .hostFailure,
                until: breaker.end(task.host, at: now),
                detail: "\(task.host) has failed \(count) times in a row"
            )
        }
        let sessionCount = budget.count(session: task.sessionID, host: task.host)
        let limit = sessionLimit(task.sessionID)
        if sessionCount >= limit {
            return Wire.Wait(
                reason: .hostLimit,
                detail: "its session has \(sessionCount) of \(limit) transfers from \(task.host)"
            )
        }
        if budget.free(host: task.host) == 0, budget.free > 0 {
            return Wire.Wait(
                reason: .hostLimit,
                detail: "\(task.host) has \(policy.maximumTransfersPerHost) transfers, the limit"
            )
        }
        if budget.free == 0 {
            return Wire.Wait(
                reason: .connectionLimit,
                detail: "\(policy.maximumTransfers) transfers run, the limit"
            )
        }
        return Wire.Wait(reason: .starting)
    }

    // MARK: Deadlines

    /// Makes sure that a deadline is noticed.
    mutating func note(deadline: Date?) -> [Effect] {
        guard let deadline, deadlineTimer.map({ deadline < $0 }) ?? true else { return [] }
        deadlineTimer = deadline
        return [.setTimer(.deadline, deadline)]
    }

    mutating func deadlinePassed(at now: Date) -> [Effect] {
        deadlineTimer = nil
        return [query(.overdue(at: now))]
    }

    /// Ends the tasks whose time is up.
    mutating func foundOverdue(_ tasks: [TaskRecord], at now: Date) -> [Effect] {
        var effects: [Effect] = []
        for task in tasks {
            let failure = Wire.Failure(
                code: TransferError.Code.resourceTimedOut.rawValue,
                message: "the transfer took longer than its session allows"
                    + (AttemptFailure.decode(task.lastError).map { "; before, \($0.message)" } ?? "")
            )
            effects += end(task, Ending(failure: failure, producesResumeData: true), at: now)
        }
        if tasks.isEmpty { return [query(.earliestDeadline)] }
        // Those that were found are on their way out of the store; look again when they are.
        return effects + note(deadline: now.addingTimeInterval(1))
    }
}
