import FerryStore
import FerryWire
import FoundationEssentials

/// The applications that have sessions.
struct Applications: Hashable, Sendable {
    typealias Application = DaemonStateMachine.Application

    private var applications: [ApplicationID: Application] = [:]
    /// The time until which none is started: clients of an earlier daemon reconnect first.
    private(set) var relaunchesBegin = Date.distantPast
    /// When each application is examined again.
    private var relaunchTimers: [ApplicationID: Date] = [:]
    /// The applications that may have to be started.
    private var marked: Set<ApplicationID> = []

    /// Whether there is no application.
    var isEmpty: Bool { applications.isEmpty }

    /// The applications' numbers.
    var ids: Dictionary<ApplicationID, Application>.Keys { applications.keys }

    /// The applications, in no order.
    var values: Dictionary<ApplicationID, Application>.Values { applications.values }

    /// An application, if it exists.
    subscript(id: ApplicationID) -> Application? { applications[id] }

    /// An application, if it exists.
    subscript(named identifier: String) -> Application? {
        applications.values.first { $0.record.identifier == identifier }
    }

    /// No application is started before a date.
    mutating func holdRelaunches(until date: Date) { relaunchesBegin = date }

    /// An application is in the store.
    mutating func add(_ application: Application) {
        applications[application.record.id] = application
        examine(application.record.id)
    }

    /// Takes over what a client says about its application; the state of its starts is more recent here than in a
    /// receipt.
    mutating func record(_ record: ApplicationRecord) {
        applications[record.id, default: Application(record)].record(record)
        examine(record.id)
    }

    /// Changes an application, if it exists.
    ///
    /// - Parameters:
    ///   - id: The application's number.
    ///   - change: What happens to it.
    /// - Returns: What that returns; `nil` if there is no such application.
    @discardableResult
    mutating func update<Result>(
        _ id: ApplicationID,
        _ change: (inout Application) -> Result
    ) -> Result? {
        let before = applications[id]?.launchState
        defer { if applications[id]?.launchState != before { examine(id) } }
        return applications.update(id, change)
    }

    /// An application is gone from the store.
    mutating func remove(_ id: ApplicationID) { applications[id] = nil }

    // MARK: Starts

    /// Has it examined before the turn ends whether an application is to be started.
    mutating func examine(_ id: ApplicationID) { marked.insert(id) }

    /// Returns the next application to examine, which it no longer is.
    mutating func takeMarked() -> ApplicationID? { marked.min().flatMap { marked.remove($0) } }

    /// Plans when an application is examined again, or with `nil` that it is not.
    ///
    /// - Returns: Whether that is another date than before.
    mutating func planRelaunch(of id: ApplicationID, at date: Date?) -> Bool {
        defer { relaunchTimers[id] = date }
        return relaunchTimers[id] != date
    }

    /// The date for which a new look at an application was planned has come.
    mutating func relaunchTimePassed(of id: ApplicationID) {
        relaunchTimers[id] = nil
        examine(id)
    }
}

extension DaemonStateMachine {
    /// Starts an application when it is needed and may be started (BG-30, BG-35, BG-38).
    mutating func evaluateRelaunch(of id: ApplicationID) {
        guard let application = applications[id], !isStopping else { return }
        let waiting = sessionsToLaunch(for: application)
        let dates = waiting.map { nextLaunch(of: application, for: $0) }
        let next = dates.min()
        let timer = next.flatMap { $0 > now ? $0 : nil }
        if applications.planRelaunch(of: id, at: timer) {
            turn.add(.setTimer(.relaunch(application: id), timer))
        }
        guard let next, next <= now else { return }
        // They take turns.
        let due = zip(waiting, dates).filter { $0.1 <= now }.map(\.0).sorted { $0.id < $1.id }
        let session = due.first { $0.id > application.latestSession } ?? due.first
        if let session { startLaunching(application, session) }
    }

    /// Returns the earliest time at which an application is started for a session.
    ///
    /// A session waits for its own starts that have failed, and only briefly for others'. After a start of the daemon, or
    /// if the application may cause its starts itself, nothing says whose they were.
    private func nextLaunch(of application: Application, for session: Session) -> Date {
        let own = session.nextLaunchAt ?? .distantPast
        let pause = application.latestLaunch?.addingTimeInterval(policy.relaunchDelay)
        let next = application.record.nextLaunchAt.map { min($0, pause ?? $0) } ?? .distantPast
        return max(own, next, applications.relaunchesBegin)
    }

    /// Returns the sessions that an application is to be started for, if it may be started at all.
    private func sessionsToLaunch(for application: Application) -> [Session] {
        let id = application.record.id
        guard
            application.record.launch != nil, !application.record.quit, !application.isLaunched,
            !application.isLaunching, application.objectionCount == 0, !isOpening(id)
        else { return [] }
        let isRunning = !application.clients.isEmpty
        return sessions.values.filter { session in
            session.applicationID == id && session.isToBeLaunched
                && (session.isLaunchedAlone ? session.attachment == nil : !isRunning)
        }
    }

    /// Stores the start before it happens, so that a daemon that dies does not start the application in a loop.
    private mutating func startLaunching(_ application: Application, _ session: Session) {
        let id = application.record.id
        let isKnown = application.latestLaunch != nil
        let earlier = session.launchAttempts ?? (isKnown ? 0 : application.record.launchAttempts)
        let attempts = earlier + 1
        let next = now.addingTimeInterval(relaunchDelay(attempts))
        applications.update(id) { [now] in
            $0.planLaunch(for: session.id, attempts: attempts, at: now, notAgainBefore: next)
        }
        sessions.update(session.id) { $0.planLaunch(attempts: attempts, notAgainBefore: next) }
        commit(
            [.setLaunchState(application: id, attempts: attempts, nextLaunchAt: next)],
            then: .launching(application: id, session: session.identifier)
        )
    }

    /// Returns the delay, which doubles with each failed start up to the maximum.
    private func relaunchDelay(_ attempts: Int) -> Double {
        let doublings = Double(min(max(attempts - 1, 0), 30))
        return min(policy.maximumRelaunchDelay, policy.relaunchDelay * exponential2(doublings))
    }

    private func exponential2(_ exponent: Double) -> Double {
        Double(sign: .plus, exponent: Int(exponent), significand: 1)
    }

    /// The start is stored: it happens now, if it is still wanted.
    mutating func launching(_ id: ApplicationID, session: String) {
        applications.update(id) { $0.launchStored() }
        guard let application = applications[id] else { return }
        guard !isStopping, let launch = application.record.launch,
            !sessionsToLaunch(for: application).isEmpty
        else {
            // The start may have been stored after later changes.
            recordLaunchState(of: application.record)
            return
        }
        applications.update(id) { $0.launch() }
        turn.add(.setTimer(.launch(application: id), now + policy.launchTimeout))
        turn.add(.launch(application: id, launch, session: session))
    }

    /// The start of an application takes too long; if it succeeds after all, the process counts as started.
    mutating func launchTimePassed(of id: ApplicationID) {
        guard applications[id]?.isLaunching == true else { return }
        launched(id, error: "the disk that it is on does not answer")
    }

    /// An application was started, or could not be.
    mutating func launched(_ id: ApplicationID, error: String?) {
        guard let application = applications[id] else { return }
        applications.update(id) { $0.launched(isRunning: error == nil) }
        let name = application.record.identifier
        let timer = Effect.setTimer(.launch(application: id), nil)
        guard let error else {
            let omitted = application.record.launch?.omittedVariables ?? []
            let names = omitted.sorted().joined(separator: ", ")
            let difference = omitted.isEmpty ? "" : ", without these of its variables: \(names)"
            turn.add(timer)
            turn.add(.log(.info, "started \(name) for its events\(difference)", task: nil))
            return
        }
        turn.add(timer)
        turn.add(.log(.error, "cannot start \(name): \(error)", task: nil))
    }

    /// A process that the daemon had started has ended.
    mutating func applicationExited(_ id: ApplicationID, status: String) {
        guard let application = applications[id] else { return }
        applications.update(id) { $0.exited() }
        let own = sessions.ids { $0.applicationID == id }
        let log = "\(application.record.identifier) has ended: \(status)"
        // Its connections may close a moment later; each asks the store again.
        turn.add(.log(.info, log, task: nil))
        for session in own { turn.recount(session) }
        removeIfUnused(id)
    }

    /// A process that the daemon has started makes a task: when that ends, the application is started again, and so on.
    ///
    /// The next start waits as if this one had failed: an application that does so each time is started less and less
    /// often, until something else starts it, or it makes no task.
    mutating func madeTask(_ id: ApplicationID) {
        guard applications.update(id, { $0.madeTask() }) == true else { return }
        if let application = applications[id] { recordLaunchState(of: application.record) }
    }

    /// A process that the daemon has not started opens a session: earlier starts no longer count.
    mutating func startedByOthers(_ id: ApplicationID) {
        if applications.update(id, { $0.forgetStart() }) == true { endWait(of: id) }
    }

    /// An application takes a session's events: the next start, if one is needed, need not wait, unless the application
    /// causes its starts itself.
    mutating func relaunchSucceeded(for session: Session) {
        sessions.update(session.id) { $0.endLaunch() }
        endWait(of: session.applicationID)
    }

    private mutating func endWait(of id: ApplicationID) {
        guard applications.update(id, { $0.endWait() }) == true else { return }
        // It works again, perhaps for its other sessions, too.
        for session in sessions.ids(where: { $0.applicationID == id }) {
            sessions.update(session) { $0.endWait() }
        }
        if let application = applications[id] { recordLaunchState(of: application.record) }
    }

    /// Stores when an application is started next.
    mutating func recordLaunchState(of record: ApplicationRecord) {
        commit(
            [
                .setLaunchState(
                    application: record.id,
                    attempts: record.launchAttempts,
                    nextLaunchAt: record.nextLaunchAt
                )
            ],
            .relaxed
        )
    }
}
