import FerryStore
import FerrySystem
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

/// The real driver and state machine, in a world that is not there.
final class SimulatedDaemon {
    unowned let world: Simulation
    let policy: DaemonPolicy
    let lifetime = Lifetime()
    /// When it takes its first call.
    let bootTime: Double
    private(set) var hasBooted = false
    private(set) lazy var driver = makeDriver()
    var machine: DaemonStateMachine { driver.machine }
    var line = StoreLine()
    /// The transfers that are no longer being prepared.
    var transfers: [SimulatedTransfer] { driver.transfers.running.sorted { $0.task < $1.task } }
    /// All that were ever started.
    var startedTransfers: [SimulatedTransfer] = []
    var calls: [CallID: (SimulatedCall, SimulatedConnection)] = [:]
    var streams: [CallID: SimulatedStream] = [:]
    /// Connections that were made but not noticed.
    var arriving: [SimulatedConnection] = []
    var connections: [ConnectionID: SimulatedConnection] = [:]
    /// Whether the copies that are being made for tasks are still wanted.
    var copies: [TaskID: Bool] = [:]
    private var alarms: [DaemonStateMachine.Timer: Lifetime] = [:]
    /// How fast all transfers together may load and send.
    var rates = SharedRates()
    /// When the disk has done what it is to do.
    var lastDiskTime = 0.0
    /// How often somebody is about to look for tasks.
    var plannedSearchCount = 0
    /// When the store could last not be read.
    private(set) var lastReadFailure = -1000.0
    /// When the store could last not be written.
    private(set) var lastStoreFailure = -1000.0
    /// The tasks that were stopped for the machine's present sleep.
    var tasksPutDown: Set<TaskID> = []
    /// The conditions that are watched.
    private var observed: Conditions = []
    private var observationCount = 0
    /// Whether the services that know the conditions have yet to answer.
    private(set) var awaitsConditions = false
    private var isStoreBusy = false
    private var lastOutcomeTime = 0.0

    /// Starts it; it takes up the queue a moment later.
    init(in world: Simulation) {
        self.world = world
        policy = world.policy
        bootTime = world.now + 0.01 + world.random.fraction() * 0.1
        // Made now, as it takes random numbers.
        _ = driver
        world.schedule(at: bootTime, lifetime) { [self] _ in boot() }
    }

    private func makeDriver() -> DaemonDriver<SimulatedDaemon> {
        var allowed = policy
        if world.sabotage == .exceedsBudget { allowed.maximumTransfersPerHost += 3 }
        let machine = DaemonStateMachine(
            policy: allowed,
            nextTaskID: world.database.current.nextTaskID,
            clock: world.makeClock(),
            localClock: world.zone.clock,
            random: SeededRandom(seed: world.random.next())
        )
        return world.sabotage.flatMap { SabotagedDriver($0, machine, in: self) }
            ?? DaemonDriver(machine, in: self)
    }

    private func boot() {
        hasBooted = true
        world.record("ferryd starts")
        let clock = world.makeClock()
        let store = world.database.current
        for task in world.disk.downloads.keys.sorted() where store.tasks[task] == nil {
            world.disk.downloads[task] = nil
        }
        for task in world.disk.copies.keys.sorted() {
            let state = store.tasks[task]?.record.state ?? .completed
            if state == .completed { world.disk.copies[task] = nil }
        }
        for task in store.tasks.values.map(\.record) {
            guard world.disk.downloads[task.id] != nil,
                let data = task.event?.value?.resumeData
            else { continue }
            world.count(.keptLater)
            keepFile(of: task.id, for: data)
        }
        let applications = store.allApplications()
        driver.input(at: clock.now(sinceBoot: world.sinceBoot)) { machine in
            machine.start(
                applications: applications,
                sessions: applications.flatMap { store.sessions(application: $0.id) },
                timetable: world.timetable,
                clock: clock,
                connectivity: world.connectivity
            )
        }
    }

    /// Kills it.
    func kill() {
        world.record("ferryd dies")
        lifetime.end()
        for alarm in alarms.values { alarm.end() }
        let all = arriving + connections.values.sorted { $0.id < $1.id }
        for connection in all { connection.lose() }
        (arriving, connections, calls, streams) = ([], [:], [:], [:])
        startedTransfers = []
        world.disk.loseProcess()
        // The next one shares its places anew.
        world.unfairSince = [:]
        world.daemon = nil
    }

    // MARK: Inputs

    /// Gives the machine an input.
    func input(_ body: (inout DaemonStateMachine) -> Void) {
        driver.input(body)
    }

    func accept(_ connection: SimulatedConnection) {
        guard let index = arriving.firstIndex(where: { $0 === connection }) else { return }
        arriving.remove(at: index)
        connections[connection.id] = connection
        input { machine in machine.connected(connection.id) }
    }

    func disconnect(_ connection: SimulatedConnection) {
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        // As VarlinkServer does: first the streams, then the connection.
        for (call, stream) in streams.sorted(by: { $0.key < $1.key })
        where stream.connection === connection {
            streams[call] = nil
            calls[call] = nil
            input { machine in machine.unsubscribed(call) }
        }
        input { machine in machine.disconnected(connection.id) }
    }

    func handle(_ call: SimulatedCall, over connection: SimulatedConnection) {
        let id = CallID(world.makeNumber())
        world.record("process \(connection.process.id) calls: \(call.content) of \(call.session)")
        calls[id] = (call, connection)
        if case .subscribe = call.content {
            streams[id] = SimulatedStream(call: id, connection: connection)
        }
        let caller = DaemonStateMachine.Caller(
            call: id,
            connection: connection.id,
            process: Int64(connection.process.id)
        )
        input { machine in call.perform(on: &machine, caller) }
    }

    // MARK: Time

    /// Whether any timer is set that it stays for: not for the hours of the timetable.
    var hasAlarms: Bool { alarms.keys.contains { $0 != .hours } }

    /// When a timer is due, if it is set.
    func dueDate(of timer: DaemonStateMachine.Timer) -> Date? {
        alarms[timer] == nil ? nil : driver.timers[timer]
    }

    func setAlarm(_ timer: DaemonStateMachine.Timer, after seconds: Double?) {
        alarms.removeValue(forKey: timer)?.end()
        guard let seconds else { return }
        if world.sabotage == .forgetsRelaunch, case .relaunch = timer { return }
        if world.sabotage == .staysForever, timer == .idle { return }
        if world.sabotage == .neverShares, timer == .shares { return }
        if world.sabotage == .forgetsHours, timer == .hours { return }
        if world.sabotage == .losesTimer, timer == .retry, world.random.happens(percent: 10) {
            return
        }
        let lifetime = Lifetime()
        alarms[timer] = lifetime
        world.schedule(after: seconds, lifetime) { [self] _ in
            alarms[timer] = nil
            driver.alarmRang(timer)
        }
    }

    // MARK: Conditions

    func observe(_ kinds: Conditions) {
        observed = kinds
        observationCount += 1
        awaitsConditions = !kinds.isEmpty && world.conditionRandom.happens(percent: 30)
        guard awaitsConditions else { return report(world.conditions.intersection(kinds)) }
        report(nil)
        let count = observationCount
        world.schedule(after: world.conditionRandom.fraction(), lifetime) { [self] world in
            guard count == observationCount else { return }
            awaitsConditions = false
            report(world.conditions.intersection(observed))
        }
    }

    /// The conditions have changed.
    func notifyConditions() {
        guard hasBooted, !observed.isEmpty, !awaitsConditions,
            world.sabotage != .overlooksConditions
        else { return }
        report(world.conditions.intersection(observed))
    }

    private func report(_ conditions: Conditions?) {
        input { machine in machine.conditionsChanged(to: conditions) }
    }

    // MARK: The store

    func submit(_ commit: CommitBacklog.Commit) {
        var commit = commit
        world.sabotage?.falsify(&commit)
        line.submit(commit)
        work()
        guard world.sabotage == .acknowledgesBeforeCommit else { return }
        if case .created(let call) = commit.continuation,
            case .insertTask(let task) = commit.mutations.first
        {
            answer(call, .created(task: task.id))
        }
    }

    func retry(after delay: Duration, because error: StoreError) {
        world.schedule(after: delay.inSeconds, lifetime) { [self] _ in driver.clearBacklog() }
    }

    func ask(_ query: DaemonStateMachine.Query) {
        world.countQuery()
        if world.sabotage == .losesWakeUp, case .candidates = query,
            world.random.happens(percent: 10)
        {
            return
        }
        world.schedule(after: 0, lifetime) { [self] _ in
            line.submit(query)
            work()
        }
    }

    private func work() {
        guard !isStoreBusy, !line.isEmpty else { return }
        isStoreBusy = true
        let isSlow = world.random.happens(percent: 3)
        let delay = world.random.fraction() * (isSlow ? 3 : 0.01)
        world.schedule(after: delay, lifetime) { [self] _ in finishJob() }
    }

    private func finishJob() {
        let outcomes = line.runNext(
            on: &world.database,
            failure: world.storeFailure,
            isSlow: world.random.happens(percent: 20)
        )
        for outcome in outcomes { world.promises.executed(outcome, in: world) }
        // The worst moment: a task has ended, and its file is not where its resume data says.
        let isEnd = outcomes.contains(where: \.hasResumeData)
        if isEnd, world.happens(perThousand: 10 * world.killRate) { world.killSomething() }
        isStoreBusy = false
        lastOutcomeTime = max(lastOutcomeTime, world.now + world.random.fraction() * 0.001)
        for outcome in outcomes {
            world.schedule(at: lastOutcomeTime, lifetime) { [self] _ in take(outcome) }
        }
        work()
    }

    private func take(_ outcome: StoreLine.Outcome) {
        world.record("store: \(outcome)".prefix(300).description)
        if case .failed(let error, _) = outcome, error.isTransient { world.count(.storeFailure) }
        switch outcome {
        case .committed(let receipt, let commit):
            driver.finished(commit, .success(receipt))
        case .failed(let error, let commit):
            lastStoreFailure = world.now
            driver.finished(commit, .failure(error))
        case .answered(let query, let result):
            if case .failure = result { lastReadFailure = world.now }
            driver.answered(query, result.map { world.sabotage?.falsify($0) ?? $0 })
        }
    }
}

extension StoreLine.Outcome {
    /// Whether a task has ended with resume data.
    fileprivate var hasResumeData: Bool {
        guard case .committed(_, let commit) = self, case .ended(_, _, _?, _) = commit.continuation
        else { return false }
        return true
    }
}

/// A subscription's stream of events.
struct SimulatedStream {
    let call: CallID
    let connection: SimulatedConnection
    /// The last event of the log that was sent.
    var lastSequence: Int64 = 0
    /// The tasks whose last event was sent.
    var completed: Set<Int> = []
    /// Whether it was said that the past has been told.
    var isDrained = false
}
