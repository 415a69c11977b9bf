import FerryStore
import FerryWire

@testable import FerryDaemon

extension Promises {
    /// A transfer starts: no limit may be exceeded.
    func started(_ transfer: SimulatedTransfer, of task: TaskRecord, in world: Simulation) {
        guard let daemon = world.daemon else { return }
        // One that has loaded all needs no connection until its end is in the store.
        // One that waits for its application gives its place to others, and goes on later all the same.
        let tasks = counted(daemon.transfers + [transfer], in: world)
        let ofHost = tasks.filter { $0.host == task.host }
        let ofLane = ofHost.filter { $0.session == task.sessionID }
        let session = world.database.current.sessions[task.sessionID]?.record
        let limit = session?.configuration.value?.maximumConnectionsPerHost
        let ofSession = tasks.count { $0.session == task.sessionID }
        if let most = session?.configuration.value?.maximumTransfers, ofSession > most {
            world.fail("\(ofSession) transfers of a session run at once")
        }
        if tasks.count == world.policy.maximumTransfers { world.count(.fullBudget) }
        let lent = daemon.transfers.flatMap(\.connections.hosts)
        let lentToHost = lent.count { $0 == task.host }
        if tasks.count + lent.count > world.policy.maximumTransfers {
            world.fail("\(tasks.count) transfers run at once, and \(lent)")
        }
        if ofHost.count + lentToHost > world.policy.maximumTransfersPerHost {
            world.fail("\(ofHost.count) transfers run for \(task.host), and \(lentToHost) more")
        }
        if let limit, ofLane.count > limit {
            world.fail("\(ofLane.count) transfers of a session run for \(task.host)")
        }
    }

    /// The transfers that count, each for the host that it was started for: the store may know of another
    /// address already.
    private func counted(
        _ transfers: [SimulatedTransfer],
        in world: Simulation
    ) -> [SimulatedTransfer] {
        transfers.filter { transfer in
            transfer.isActive && !transfer.hasAsked
                && world.database.current.tasks[transfer.task] != nil
        }
    }

    /// A transfer has got a further connection: there must be room for another task beside it.
    func lent(_ host: String, session: SessionID, in world: Simulation) {
        guard let daemon = world.daemon else { return }
        let records = counted(daemon.transfers, in: world)
        let lent = daemon.transfers.flatMap { transfer in
            transfer.connections.hosts.map { (session: transfer.session, host: $0) }
        }
        if records.count + lent.count >= world.policy.maximumTransfers {
            world.fail("the last connection of all is lent")
        }
        let ofHost = records.filter { $0.host == host }
        let lentToHost = lent.filter { $0.host == host }
        if ofHost.count + lentToHost.count >= world.policy.maximumTransfersPerHost {
            world.fail("the last connection to \(host) is lent")
        }
        let count = lentToHost.count { $0.session == session }
        let stored = world.database.current.sessions[session]?.record
        let limit = stored?.configuration.value?.maximumConnectionsPerHost
        if let limit, ofHost.count(where: { $0.session == session }) + count >= limit {
            world.fail("the last connection of session \(session) to \(host) is lent")
        }
    }

    /// An application is started: it must be wanted, allowed and not there (BG-30, BG-35, BG-38).
    func launches(_ id: ApplicationID, in world: Simulation) {
        let store = world.database.current
        guard let application = store.applications[id] else {
            return world.fail("application \(id) is started and does not exist")
        }
        if application.quit || quitPrograms.contains(application.identifier) {
            world.fail("\(application.identifier) is started although it was quit")
        }
        if application.launch == nil { world.fail("\(application.identifier) has no launch") }
        let processes = world.processes.filter { $0.program.name == application.identifier }
        let sessions = store.sessions(application: id).filter { session in
            session.isLaunchedAlone
                ? !processes.contains { $0.hasOpen(session.id) }
                : !processes.contains { $0.hasOpenSession }
        }
        if sessions.isEmpty { world.fail("\(application.identifier) is started while it runs") }
        guard world.daemon?.machine.operationCount == 0 else { return }
        let isWanted = sessions.contains { $0.isDue }
        let hasQuestion = sessions.contains { session in
            world.daemon?.machine.hasQuestion(session: session.id) ?? false
        }
        if hasQuestion, !isWanted { world.count(.launchForQuestion) }
        if !isWanted, !hasQuestion {
            world.fail("\(application.identifier) is started for nothing")
        }
    }
}

extension DaemonStateMachine {
    /// Whether an application is to be started because it has to decide something (BG-36).
    func hasQuestion(session id: SessionID) -> Bool {
        sessions[id]?.configuration.sendsLaunchEvents == true
            && running.values.contains { $0.record.sessionID == id && $0.question != nil }
    }
}

extension SessionRecord {
    /// Whether its application is to be started for it, whatever else of it runs.
    var isLaunchedAlone: Bool { configuration.value?.launchesForEachTask == true }

    /// Whether it has something to tell, and all that its application is started for.
    var isDue: Bool {
        counts.completedTasks > 0 && (counts.unfinishedTasks == 0 || isLaunchedAlone)
            && configuration.value?.sendsLaunchEvents != false
    }
}
