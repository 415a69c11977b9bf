import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// The search for tasks to start.
    struct Search: Hashable, Sendable {
        /// Whether the store is being asked.
        private(set) var isUnderWay = false
        /// Whether the store is asked for tasks that wait for an occupied slot.
        private(set) var isForShares = false
        /// Whether something has changed meanwhile.
        private(set) var isStale = false
        /// When the next task that backs off is due.
        private(set) var nextRetry: Date?
        /// The tasks that will get revoked slots, each with its application.
        private var reservations: [TaskID: ApplicationID] = [:]
        /// The sessions that get no slot of a full host, although slots are distributed again.
        private(set) var refusals: [String: Set<SessionID>] = [:]
        private var hasNewRefusals = false

        /// Begins a search.
        mutating func begin(forShares isForShares: Bool = false) {
            isUnderWay = true
            self.isForShares = isForShares
            isStale = false
            reservations = [:]
            refusals = [:]
            hasNewRefusals = false
        }

        /// Continues with the tasks behind those that were refused a slot.
        ///
        /// - Returns: Whether any was refused since the store was asked.
        mutating func continueBehindRefusals() -> Bool {
            guard hasNewRefusals else { return false }
            hasNewRefusals = false
            isUnderWay = true
            return true
        }

        /// Records that an application's sessions get no slot of a full host.
        mutating func refuse(_ sessions: Set<SessionID>, host: String) {
            refusals[host, default: []].formUnion(sessions)
            hasNewRefusals = true
        }

        /// The store has answered, or could not.
        mutating func end() { isUnderWay = false }

        /// Records that the store's answer may be out of date.
        mutating func markStale() { isStale = true }

        /// Records when the next task that backs off is due.
        mutating func plan(retryAt date: Date?) { nextRetry = date }

        /// Records that an application's task will get a revoked slot.
        mutating func reserve(for task: TaskID, of application: ApplicationID) {
            reservations[task] = application
        }

        /// Returns whether a task will get a revoked slot.
        func hasReservation(for task: TaskID) -> Bool { reservations[task] != nil }

        /// Returns the number of revoked slots that an application will get.
        func reservedCount(for application: ApplicationID) -> Int {
            reservations.values.count { $0 == application }
        }
    }

    /// Searches for tasks to start, if there is room.
    mutating func searchForTasks() {
        guard !isStopping, sleep.allowsStarts else { return }
        guard !search.isUnderWay else {
            search.markStale()
            return
        }
        guard running.budget.free > 0 else { return reviewSharesSoon() }
        search.begin()
        query(.candidates(candidateSearch(at: now)))
    }

    /// Returns the query for as many tasks as there is room for, or for those that would have a slot if all were
    /// distributed again.
    func candidateSearch(forShares isForShares: Bool = false, at now: Date) -> CandidateSearch {
        var saturatedSessions = sessionsBackingOffHosts(at: now)
        if isForShares { saturatedSessions.merge(search.refusals) { $0.union($1) } }
        for host in running.budget.activeHosts {
            saturatedSessions[host, default: []]
                .formUnion(running.budget.saturatedSessions(host: host, limit: sessionLimit))
        }
        return CandidateSearch(
            now: now,
            limit: isForShares ? policy.maximumTransfers : running.budget.free,
            limitPerHost: policy.maximumTransfersPerHost,
            saturatedHosts: isForShares ? [] : running.budget.saturatedHosts,
            saturatedSessions: saturatedSessions,
            fullSessions: Set(running.values.map(\.record.sessionID)).filter(isFull),
            runningTasks: Set(running.ids).union(endings.tasks).union(creations.adoptions)
                .union(readings.unstoredTasks).union(followings.copyingTasks)
                .union(shares.preemptedTasks(at: now)).union(sleep.settlingTasks),
            turns: shares.turns(havingSlots: running.budget.slots()),
            conditions: watch.preventing
        )
    }

    /// The number of a task's application.
    func application(of task: TaskRecord) -> ApplicationID {
        sessions[task.sessionID]?.applicationID ?? 0
    }

    /// Returns the number of transfers that a session may have from one host.
    func sessionLimit(_ session: SessionID) -> Int {
        max(1, sessions[session]?.configuration.maximumConnectionsPerHost ?? 1)
    }

    /// Returns whether a session has as many transfers as it may, from all hosts together.
    func isFull(_ session: SessionID) -> Bool {
        guard let limit = sessions[session]?.configuration.maximumTransfers else { return false }
        return running.count(of: session) >= max(1, limit)
    }

    /// A task that backs off may be due.
    mutating func retryTimePassed() {
        search.plan(retryAt: nil)
        turn.searchForTasks()
    }

    /// Sets or clears the timer for the tasks that back off.
    mutating func setRetryTimer(_ date: Date?) {
        search.plan(retryAt: date)
        turn.add(.setTimer(.retry, date))
    }

    /// Ensures that a task that begins later is found in time.
    mutating func record(notBefore: Date?) {
        guard let notBefore else { return }
        // A search that is under way may not have seen it, and sets the timer when it is over.
        if search.isUnderWay { search.markStale() }
        guard search.nextRetry.map({ notBefore < $0 }) ?? true else { return }
        setRetryTimer(notBefore)
    }

    /// The store has found tasks that may start.
    mutating func found(
        _ candidates: Candidates,
        by asked: CandidateSearch,
        readBy reading: Readings.Reading?
    ) {
        search.end()
        guard !isStopping else { return }
        recordAvoided(candidates.avoided, isLatest: !search.isStale)
        // It has passed over tasks that may run by now, or found some that must not in place of others.
        if !watch.isStillPrevented(by: asked.conditions) { search.markStale() }
        // Another search follows when the machine goes on.
        guard sleep.allowsStarts else { return }
        var hasStarted = false
        for task in candidates.tasks {
            if readings.hasChanged(task, since: reading) || isBusy(task.id)
                || isBackedOff(line(of: task), at: now)
            {
                // The task cannot have the slot that the search found for it, and another one may wait for that slot.
                search.markStale()
            } else if start(task) {
                hasStarted = true
            } else if search.hasReservation(for: task.id) {
                continue
            } else if search.isForShares, isReady(task, at: now) {
                guard makeRoom(for: task) else {
                    refuseSlot(of: task)
                    continue
                }
                hasStarted = start(task) || hasStarted
            } else if !admits(task) {
                // A transfer that has continued has the slot that the search found, and another host may have one.
                search.markStale()
            }
        }
        // The search did not consider hosts whose wait has ended since it began.
        let next = [candidates.earliestNotBefore, breaker.earliestEnd(at: asked.now)]
            .compactMap { $0 }
        setRetryTimer(next.min())
        if !search.isForShares, candidates.tasks.count < asked.limit, shares.readmitPreempted() {
            search.markStale()
        }
        let hasRoom = running.budget.free > 0
        // One host's limit may have truncated the page while another host has room.
        if hasRoom, search.isStale || hasStarted {
            turn.searchForTasks()
        } else if search.continueBehindRefusals() {
            query(.candidates(candidateSearch(forShares: true, at: now)))
        } else if search.isStale {
            turn.searchForTasks()
        } else if !hasRoom || !running.budget.saturatedHosts.isEmpty {
            // If no task waits, the next one that does has the shares reviewed.
            let nothingWaits =
                search.isForShares && candidates.tasks.isEmpty && search.refusals.isEmpty
            if nothingWaits {
                reviewSharesForPreempted(since: asked.now)
            } else {
                reviewSharesSoon()
            }
        }
    }

    /// Has the search pass over the tasks of an application for a full host, which nobody leaves for it now; they would
    /// hide its tasks for other hosts.
    private mutating func refuseSlot(of task: TaskRecord) {
        guard running.budget.isFull(host: task.host),
            search.refusals[task.host]?.contains(task.sessionID) != true
        else { return }
        let application = application(of: task)
        search.refuse(Set(sessions.ids { $0.applicationID == application }), host: task.host)
    }

    /// Returns whether a task is in use, so that no search finds it.
    private func isBusy(_ task: TaskID) -> Bool {
        running[task] != nil || endings.contains(task) || creations.isAdopting(for: task)
            || readings.isUnstored(task) || followings.isCopying(for: task)
            || sleep.settlingTasks.contains(task)
    }

    /// Returns whether only other transfers keep a task from running.
    func isReady(_ task: TaskRecord, at now: Date) -> Bool {
        !isBusy(task.id) && sessions[task.sessionID] != nil && obstacle(to: task, at: now) == nil
            && !isFull(task.sessionID)
            && running.budget.isBelowSessionLimit(
                session: task.sessionID,
                host: task.host,
                sessionLimit: sessionLimit(task.sessionID)
            )
    }

    /// Returns whether a task may have a free slot.
    func admits(_ task: TaskRecord) -> Bool {
        !isFull(task.sessionID)
            && running.budget.admits(
                session: task.sessionID,
                host: task.host,
                sessionLimit: sessionLimit(task.sessionID)
            )
    }

    /// Starts a task that still fits, or takes over its resume data.
    ///
    /// - Returns: Whether the search may find other tasks instead.
    private mutating func start(_ task: TaskRecord) -> Bool {
        guard !isBusy(task.id), let session = sessions[task.sessionID], admits(task)
        else { return false }
        switch obstacle(to: task, at: now) {
        case .noNetwork:
            awaitNetwork(task)
            return true
        case .conditions, .failingHost:
            return false
        case nil:
            break
        }
        if adopt(task) { return true }
        shares.served(session.applicationID, host: task.host)
        if task.delay?.value?.asks == true {
            askToBegin(task)
            return true
        }
        if let leader = leader(for: task) {
            follow(leader, by: task)
            return true
        }
        let starting = RunningTask(task, line: line(of: task), at: now)
        running.start(starting, of: session.applicationID)
        turn.add(
            .start(
                TransferStart(
                    task: task,
                    additionalFields: session.configuration.additionalFields,
                    connections: connections(of: session.configuration),
                    options: starting.options,
                    asksForTrust: session.configuration.answersCertificates ?? false,
                    asksForLink: asksForLink(of: task)
                )
            )
        )
        turn.add(.changed(task: task.id))
        return true
    }

    /// Stops a task's transfer, if it has one, and frees its slot.
    mutating func stop(task: TaskID) {
        guard let task = running.end(task) else { return }
        leave(task.leader, task.record.id)
        if task.question != nil { withdrawQuestion(of: task) }
        turn.add(.stop(task: task.record.id))
        releaseFollowers(of: task.record.id)
    }

    /// Stops a transfer, which continues later with the bytes that it has; no attempt is counted.
    mutating func interrupt(_ task: RunningTask) {
        let id = task.record.id
        let kept =
            task.phase == .loading
            ? storeResponse(of: id) + storeProgress(of: id) : storeAttempts(of: id)
        readings.record(id)
        stop(task: id)
        if !kept.isEmpty { commit(kept, .relaxed) }
        turn.add(.changed(task: id))
    }

    /// Gives the slot of a task that no longer needs a connection to another.
    ///
    /// The number is limited: with a disk that takes no ends, files would pile up.
    mutating func release(task id: TaskID) {
        guard running[id]?.slot == .transfer, running.releasedCount < policy.maximumTransfers
        else {
            return
        }
        running.release(id)
    }

    // MARK: Deadlines

    /// Ensures that a deadline is noticed.
    mutating func record(deadline: Date?) {
        guard let deadline, deadlines.plan(at: deadline) else { return }
        turn.add(.setTimer(.deadline, deadline))
    }

    mutating func deadlinePassed() {
        deadlines.forget()
        query(.overdue(at: now))
    }

    /// Ends the tasks whose time is up.
    ///
    /// Tasks that have changed since are examined a moment later.
    mutating func foundOverdue(_ tasks: [TaskRecord], readBy reading: Readings.Reading?) {
        for task in tasks where !readings.hasChanged(task, since: reading) {
            let error = TransferError(
                code: .resourceTimedOut,
                message: "the transfer took longer than its session allows"
                    + (task.lastError?.value.map { "; before, \($0.message)" } ?? "")
            )
            end(task, Ending(failure: Wire.Failure(error), producesResumeData: true))
        }
        if tasks.isEmpty { return query(.earliestDeadline) }
        // The tasks that were found are being ended; the search is repeated afterwards.
        record(deadline: now.addingTimeInterval(1))
    }
}
