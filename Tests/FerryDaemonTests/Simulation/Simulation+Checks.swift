import FerryStore
import FerrySystem
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

extension Simulation {
    /// Checks what must hold whenever nothing is on its way between the daemon and its store.
    func checkInstant() {
        // What was due while the machine slept has still to happen.
        guard let daemon, daemon.hasBooted, !isWaking, violation == nil else { return }
        let machine = daemon.machine
        recordReleasedTasks(machine)
        if !machine.sleep.allowsStarts {
            unfairSince = [:]
            if let forgottenSince, now > forgottenSince + policy.sleepTimeout + 4 {
                fail("the daemon waits for a machine that does not sleep")
            }
        }
        guard machine.operationCount == 0, !machine.isStopping, !machine.isIdle,
            machine.sleep.allowsStarts,
            daemon.line.isEmpty, daemon.plannedSearchCount == 0
        else { return }
        checkEntities(daemon)
        checkTransfers(daemon)
        // What could not be read is read again after a while.
        guard now > daemon.lastReadFailure + policy.rereadDelay + 1 else {
            // Whether a task still waits for its share is not seen meanwhile.
            unfairSince = [:]
            return
        }
        checkQueue(daemon)
        checkShares(daemon)
        checkClock(daemon)
        checkHours(daemon)
        checkRelaunchTimers(daemon)
        checkSubscribers(daemon)
    }

    private func checkEntities(_ daemon: SimulatedDaemon) {
        let (machine, store) = (daemon.machine, database.current)
        if Set(machine.sessions.ids) != Set(store.sessions.keys) {
            fail("sessions: \(machine.sessions.ids.sorted()), \(store.sessions.keys.sorted())")
        }
        if Set(machine.applications.ids) != Set(store.applications.keys) {
            let known = machine.applications.ids.sorted()
            fail("applications: \(known), \(store.applications.keys.sorted())")
        }
        for record in machine.applications.values.map(\.record)
        where store.applications[record.id] != record {
            fail("\(record) is \(String(describing: store.applications[record.id]))")
        }
        // Whatever else there is to do is done while files are moved or copied, which may take long.
        if machine.creations.adoptions.count > machine.fileOperationCount {
            fail(
                "resume data is left: \(machine.creations.adoptions), \(machine.fileOperationCount) files"
            )
        }
        if !machine.readings.isEmpty { fail("readings are left: \(machine.readings)") }
        if !machine.endings.isEmpty { fail("tasks end without end: \(machine.endings)") }
        let isBusy =
            !machine.running.isEmpty || !machine.lifetime.connections.isEmpty
            || daemon.hasAlarms || !machine.watch.avoided.isEmpty
            || machine.fileOperationCount > 0
            || machine.applications.values.contains { $0.isLaunched }
        if !isBusy { fail("the daemon waits for nothing") }
    }

    private func checkTransfers(_ daemon: SimulatedDaemon) {
        let running = daemon.machine.running
        let loading = running.sorted { $0.phase != .asking && $0.leader == nil }.map(\.record.id)
        let transfers = daemon.driver.transfers
        if Set(loading) != Set(transfers.tasks) {
            fail("transfers: \(loading), \(transfers.tasks.sorted())")
        }
        for transfer in daemon.startedTransfers
        where transfer.isActive && transfers[transfer.task] !== transfer {
            fail("a transfer of task \(transfer.task) goes on after its end")
        }
        for task in running.values {
            let id = task.record.id
            let isBeginning = task.phase == .asking && task.question != nil
            let leader = task.leader.flatMap { running[$0] }
            let isFollowing = task.phase == .following && leader != nil
            let isShared =
                daemon.machine.followings.sharing(of: id) != nil
                && daemon.machine.fileOperationCount > 0
            if task.phase != .loading, !isBeginning, !isFollowing, !isShared {
                fail("task \(id) is \(task.phase) for ever")
            }
            let state = database.current.tasks[id]?.record.state
            if state != .waiting, !isShared {
                fail("task \(id) loads and is \(String(describing: state))")
            }
        }
        checkBudget(daemon)
        checkOptions(daemon)
        for session in daemon.machine.sessions.values { checkQuestions(of: session, daemon) }
    }

    /// Who waits for its application has a question, of which that knows.
    private func checkQuestions(
        of session: DaemonStateMachine.Session,
        _ daemon: SimulatedDaemon
    ) {
        let own = daemon.machine.running.values.filter { $0.record.sessionID == session.id }
        let asking = own.filter { $0.question != nil }
        if asking.count != session.questionCount {
            fail("session \(session.id) has \(asking.count) questions: \(session)")
        }
        if own.contains(where: { $0.slot == .waiting && $0.question == nil }) {
            fail("a task has the wrong place: \(own)")
        }
        guard let subscriber = session.subscriber, subscriber.isLive, subscriber.isWritable,
            asking.contains(where: { $0.question?.subscription != subscriber.call })
        else { return }
        fail("the subscriber of session \(session.id) is not asked")
    }

    /// No task may wait without a reason, and every wait must come to an end.
    private func checkQueue(_ daemon: SimulatedDaemon) {
        let (machine, date) = (daemon.machine, date)
        var earliest: Date?
        for task in database.current.tasks.values.map(\.record).sorted(by: { $0.id < $1.id })
        where task.state == .waiting && machine.running[task.id] == nil
            && !machine.creations.adoptions.contains(task.id)
            && !machine.followings.isCopying(for: task.id)
        {
            if task.notBefore == TaskRecord.networkWait || machine.isUnreachable(task) {
                if connectivity.allowsAttempts { fail("task \(task.id) waits for a network") }
            } else if let notBefore = task.notBefore, notBefore > date {
                earliest = min(earliest ?? notBefore, notBefore)
            } else if isHeldByConditions(task, daemon) {
                continue
            } else if let limit = machine.breaker.limit(machine.line(of: task), at: date),
                machine.isBackedOff(machine.line(of: task), at: date)
            {
                let end = machine.breaker.end(machine.line(of: task), at: date)
                if let end { earliest = min(earliest ?? end, end) }
                if limit > 0 { count(.probedHost) }
            } else if let session = machine.sessions[task.sessionID],
                !machine.isFull(task.sessionID),
                machine.running.budget.admits(
                    session: task.sessionID,
                    host: task.host,
                    sessionLimit: session.configuration.maximumConnectionsPerHost
                ), daemon.dueDate(of: .retry).map({ $0 > date }) ?? true
            {
                fail("task \(task.id) waits for nothing")
            }
        }
        if let earliest, machine.running.budget.free > 0,
            daemon.dueDate(of: .retry).map({ $0 > earliest }) ?? true
        {
            fail("nobody looks after the tasks that back off")
        }
        if let deadline = database.current.earliestDeadline(),
            daemon.dueDate(of: .deadline).map({ $0 > max(deadline, date + 1) }) ?? true
        {
            fail("nobody looks after the deadline \(time(of: deadline))")
        }
    }

    private func checkRelaunchTimers(_ daemon: SimulatedDaemon) {
        for application in daemon.machine.applications.values
        where isWanted(application, by: daemon.machine) {
            let record = application.record
            let timer = DaemonStateMachine.Timer.relaunch(application: record.id)
            if daemon.dueDate(of: timer) == nil { fail("\(record.identifier) is not started") }
        }
    }

    private func isWanted(
        _ application: DaemonStateMachine.Application,
        by machine: DaemonStateMachine
    ) -> Bool {
        let record = application.record
        guard record.launch != nil, !record.quit, !application.isLaunched,
            !application.isLaunching
        else { return false }
        return database.current.sessions(application: record.id).contains { session in
            let isThere =
                session.isLaunchedAlone
                ? machine.sessions[session.id]?.attachment != nil : !application.clients.isEmpty
            return !isThere && (session.isDue || machine.hasQuestion(session: session.id))
        }
    }

    private func checkSubscribers(_ daemon: SimulatedDaemon) {
        for session in daemon.machine.sessions.values {
            guard let subscriber = session.subscriber else { continue }
            if subscriber.isReading { fail("session \(session.id) reads for ever") }
            guard subscriber.isWritable else { continue }
            let last = database.current.eventKeys.last { $0.session == session.id }
            if !subscriber.isLive || subscriber.lastSequence < last?.sequence ?? 0 {
                fail("the subscriber of session \(session.id) is not told everything")
            }
        }
    }

    // MARK: The end

    /// Every application that may be started for its events has been, and has taken them.
    func checkRelaunches() {
        guard violation == nil else { return }
        checkRest("calm")
        let store = database.current
        for application in store.allApplications()
        where application.launch != nil && !application.quit {
            for session in store.sessions(application: application.id)
            where session.isDue {
                fail("\(application.identifier) was not started for session \(session.id)")
            }
        }
        let waiting = store.tasks(TaskFilter(states: [.waiting]), limit: .max).filter { task in
            !hasUnanswerableQuestion(session: task.sessionID)
        }
        if !waiting.isEmpty { fail("tasks still wait: \(waiting.map(\.id))") }
    }

    private func hasUnanswerableQuestion(task id: TaskID) -> Bool {
        daemon?.machine.running[id].map { task in
            task.question != nil && hasUnanswerableQuestion(session: task.record.sessionID)
        } ?? false
    }

    /// Whether a session's tasks wait for an application that the daemon may not start.
    private func hasUnanswerableQuestion(session id: SessionID) -> Bool {
        guard let machine = daemon?.machine, let session = machine.sessions[id],
            session.questionCount > 0,
            let application = machine.applications[session.applicationID]?.record
        else { return false }
        return application.launch == nil || application.quit
            || !session.configuration.sendsLaunchEvents
    }

    /// Every promise is kept, and nothing is left.
    func checkEnd() {
        guard violation == nil else { return }
        checkRest("harvest")
        let lost = promises.unfinishedTasks
        if !lost.isEmpty { fail("tasks without an end: \(lost)") }
        if !database.current.isEmpty { fail("the store is not empty: \(database.current)") }
        if !disk.copies.isEmpty { fail("copies are left: \(disk.copies.keys.sorted())") }
        if !disk.downloads.isEmpty { fail("files are left: \(disk.downloads.keys.sorted())") }
    }

    private func checkRest(_ season: String) {
        let isWaiting = season == "calm" && daemon?.machine.operationCount == 0 && processes.isEmpty
        if isWaiting,
            daemon?.machine.running.ids.contains(where: hasUnanswerableQuestion(task:)) == true
        {
            // It has something to wait for.
        } else if let daemon {
            let machine = daemon.machine
            fail(
                """
                in the \(season) the daemon stays: \(machine.operationCount) operations, \
                \(machine.fileOperationCount) files, \
                \(machine.running.count) transfers, \(machine.lifetime.connections) connections, \
                \(machine.sessions.openings.count) openings, \(machine.creations) creations, \
                \(machine.search), \(machine.applications), \(machine.lifetime.stage), timers \(daemon.driver.timers.keys)
                """
            )
        } else if let process = processes.first {
            fail("in the \(season) process \(process.id) stays")
        }
    }
}
