import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

/// The world that the daemon's state machine acts on: it serves clients, loads, and keeps files.
@LoopActor
final class Daemon {
    let store: Store
    let files: TransferFiles
    let clients: TransferClients
    let connectionFiles = ConnectionFiles()
    /// The current moment in the daemon's time.
    var now: Date { driver.change { $0.timekeeping.clock.now() } }
    /// The knowledge about servers from the uploads to them.
    let uploadMemory = UploadMemory()
    let log: Log
    let started = Date()
    /// The options that hold, with what the files say.
    private(set) var options: DaemonOptions
    /// The options without the files.
    private let ownOptions: DaemonOptions
    /// The files with the settings.
    private let settingsFiles: SettingsFiles
    /// The settings that hold, and where each is from.
    private(set) var settings: SettingsInForce
    /// The paths of the sockets that are listened on, for people.
    let socketPaths: [String]
    /// Called when the process is to end.
    private let onExit: @LoopActor () -> Void

    /// The driver of the state machine.
    private(set) lazy var driver = DaemonDriver(
        DaemonStateMachine(policy: options.policy, nextTaskID: store.nextTaskID),
        in: self
    )
    /// The state machine, to be read; ``input(_:)`` changes it.
    ///
    /// Each read copies the whole. What is read for each transfer or input is read by `driver.change`.
    var machine: DaemonStateMachine { driver.machine }
    /// The calls that are not answered yet.
    var calls: [CallID: UnansweredCall] = [:]
    /// The queues for the files of applications.
    let applicationQueues = ApplicationQueues()
    /// The copies of other tasks' files that are being made, by the task that gets the copy.
    var copies: [TaskID: PartialFile.Copying] = [:]
    /// The functions that take the answers to challenges, by the transfer that waits for one.
    var questions: [TaskID: @LoopActor (LoadChallengeAnswer) -> Void] = [:]
    let rateLimits = RateLimits()
    /// The user's timetable.
    let timetable: TimetableObservation
    private var connectivity: ConnectivityObservation?
    private var conditions: ConditionsObservation?
    private var wallClock: WallClockObservation?
    /// The watch over the machine's sleep, and what is held against it.
    var sleepWatch: SleepWatch?
    var children: [ApplicationID: ChildProcess] = [:]
    /// The starts of applications that have not completed yet.
    var starts: [ApplicationID: Wire.Launch] = [:]
    var subscriptions: [CallID: EventDestination] = [:]
    /// The streams of events, by name.
    var streams: [String: EventStream] = [:]
    private var alarms: [DaemonStateMachine.Timer: LoopTimer] = [:]
    var connections: [ObjectIdentifier: ConnectionID] = [:]
    var watchers: [CallID: TaskWatcher] = [:]
    private var lastNumber: Int64 = 1
    private var hasStarted = false

    /// Creates a daemon from its parts.
    ///
    /// - Parameters:
    ///   - store: The queue.
    ///   - files: The files of transfers.
    ///   - client: The client that carries transfers.
    ///   - log: The log.
    ///   - options: Its limits and delays.
    ///   - timetableFile: The file with the user's timetable.
    ///   - settingsFiles: The files with the settings.
    ///   - socketPaths: The paths of its sockets.
    ///   - onExit: Called on the loop when there is nothing left to do, or after a stop.
    init(
        store: Store,
        files: TransferFiles,
        client: HTTPClient,
        log: Log,
        options: DaemonOptions,
        timetableFile: TimetableFile = TimetableFile(),
        settingsFiles: SettingsFiles = SettingsFiles(),
        socketPaths: [String],
        onExit: @escaping @LoopActor () -> Void
    ) {
        self.store = store
        self.files = files
        clients = TransferClients(sharing: client)
        self.log = log
        self.options = options
        ownOptions = options
        self.settingsFiles = settingsFiles
        settings = SettingsInForce(arguments: options.arguments)
        timetable = TimetableObservation(of: timetableFile)
        self.socketPaths = socketPaths
        self.onExit = onExit
    }

    isolated deinit {
        connectivity?.cancel()
        conditions?.cancel()
        wallClock?.cancel()
    }

    /// Resumes the queue from its stored state.
    ///
    /// - Throws: ``StoreError`` when the queue cannot be read.
    func start() async throws(StoreError) {
        let applications = try await store.applications()
        var sessions: [SessionRecord] = []
        for application in applications {
            sessions += try await store.sessions(application: application.id)
        }
        let rates = SharedRates(try await store.rates())
        var clock = DaemonClock(continuing: try await store.clock()?.value)
        await readSettings()
        store.setHistory(options.history)
        await settleFiles()
        files.removeExpiredResumeFiles(now: Date())
        let timetable = await observeTimetable()
        // Nothing is awaited from here on, so that no change is missed or comes before the queue is resumed.
        observeConnectivity()
        observeClock()
        observeSleep()
        _ = clock.record()
        hasStarted = true
        // The clock may have been set since the machine got its own.
        driver.input(at: clock.now()) {
            $0.start(
                applications: applications,
                sessions: sessions,
                rates: rates,
                timetable: timetable,
                clock: clock,
                connectivity: ConnectivityMonitor.shared.connectivity
            )
        }
    }

    /// Reads the files with the settings, and has what they say hold.
    ///
    /// If a file does not answer in time, its previous settings hold until it does.
    func readSettings() async {
        await withCheckedContinuation { continuation in
            var waiting: CheckedContinuation<Void, Never>? = continuation
            settingsFiles.read { [weak self] texts in
                self?.take(texts)
                waiting?.resume()
                waiting = nil
            }
        }
    }

    private func take(_ texts: [SettingsText]) {
        let former = settings
        settings = SettingsInForce(arguments: ownOptions.arguments, files: texts)
        guard settings != former else { return }
        options = ownOptions.with(settings)
        log.setThreshold(options.logLevel)
        logChange(of: former)
        do throws(HTTPError) {
            try clients.splice(from: options.minimumSplicedBytes.map { Int64($0) })
        } catch {
            log.write(.error, "splice-from is not changed: \(error)")
        }
        guard hasStarted else { return driver.change { $0.set(options) } }
        store.setHistory(options.history)
        input { $0.settingsChanged(to: options) }
    }

    /// Notifies the state machine when the clock is set.
    private func observeClock() {
        do throws(SystemCallError) {
            wallClock = try WallClockObservation { [weak self] in
                guard let self else { return }
                var clock = machine.clock
                guard clock.record() else { return }
                input { $0.clockSet(clock) }
            }
        } catch {
            log.write(.warning, "dates of tasks do not follow the clock when it is set: \(error)")
        }
    }

    /// Notifies the state machine when a route off this machine becomes available or unavailable.
    private func observeConnectivity() {
        connectivity = ConnectivityMonitor.shared.observe { [weak self] connectivity in
            self?.input { $0.connectivityChanged(to: connectivity) }
        }
    }

    /// Notifies the state machine of the conditions of some kinds that the machine is in, now and when they change.
    func observe(_ kinds: Conditions) {
        let former = conditions
        conditions =
            kinds.isEmpty
            ? nil
            : ConditionsMonitor.shared.observe(kinds) { [weak self] conditions in
                self?.conditionsChanged(to: conditions)
            }
        // Afterwards, so that the services that both need go on being asked.
        former?.cancel()
        if let conditions { conditionsChanged(to: conditions.conditions) }
    }

    private func conditionsChanged(to conditions: Conditions?) {
        input { $0.conditionsChanged(to: conditions) }
    }

    /// Ends the process as soon as the work under way is in the store.
    func stop() { input { $0.stopDaemon(call: nil) } }

    /// Whether the process ends because it is idle, not because it was asked to stop.
    var mayGoOn: Bool { machine.isIdle }

    /// Continues to serve, because a client has connected after all.
    func proceed() { input { $0.proceed() } }

    /// Returns a number that no other call or connection has.
    func makeNumber() -> Int64 {
        lastNumber += 1
        return lastNumber
    }

    /// Passes an input to the state machine and performs the resulting effects.
    func input(_ body: (inout DaemonStateMachine) -> Void) {
        driver.input(body)
    }
}

// MARK: - Effects

extension Daemon: @LoopActor DaemonWorld {
    func stillRuns() -> Bool { true }

    // MARK: The store and time

    func submit(_ commit: CommitBacklog.Commit) {
        store.submit(commit.mutations, durability: commit.durability) { [self] result in
            driver.finished(commit, result)
        }
    }

    func ask(_ query: DaemonStateMachine.Query) {
        LoopActor.task { [self] in
            driver.answered(query, await store.answer(query))
        }
    }

    func retry(after delay: Duration, because error: StoreError) {
        log.write(.error, "the queue cannot be written: \(error.message)")
        _ = EventLoop.shared.schedule(after: delay) { [weak self] in self?.driver.clearBacklog() }
    }

    func setAlarm(_ timer: DaemonStateMachine.Timer, after seconds: Double?) {
        alarms.removeValue(forKey: timer)?.cancel()
        guard let seconds else { return }
        alarms[timer] = EventLoop.shared.schedule(after: .seconds(seconds)) { [weak self] in
            self?.alarms[timer] = nil
            self?.driver.alarmRang(timer)
        }
    }

    /// Cancels all alarms; the daemon is no longer used.
    func cancelAlarms() {
        for alarm in alarms.values { alarm.cancel() }
    }

    // MARK: Clients

    func answer(_ call: CallID, _ answer: DaemonStateMachine.Answer) {
        guard let call = calls.removeValue(forKey: call) else { return }
        if let deed = call.deed { log.write(.info, deed.text(answer), task: deed.task) }
        call.answer(.success(answer))
    }

    func refuse(_ call: CallID, _ error: TransferInterfaceError) {
        calls.removeValue(forKey: call)?.answer(.failure(error))
        endSubscription(call, because: error)
    }

    func changed(task: TaskID) {
        for watcher in watchers.values { watcher.changed(task) }
    }

    func waitsChanged() {
        for watcher in watchers.values { watcher.waitsChanged() }
    }

    func removed(task: TaskID) {
        for watcher in watchers.values { watcher.removed(task) }
    }

    func writeLog(_ level: LogLevel, _ message: String, task: TaskID?) {
        log.write(level, message, task: task)
    }

    // MARK: Transfers

    func stop(_ transfer: any RunningTransfer, of task: TaskID) {
        transfer.cancel()
        questions[task] = nil
    }

    func limitRates(_ rates: SharedRates, of transfer: any RunningTransfer) {
        transfer.rates?.limit(receiving: rates.receive, sending: rates.send)
    }

    func limitRates(_ rates: SharedRates, ofSession session: SessionID?) {
        rateLimits.set(rates, forSession: session)
    }

    func prioritize(_ transfer: any RunningTransfer, _ priority: Double) {
        transfer.rates?.setPriority(priority)
    }

    func revokeConnection(of transfer: any RunningTransfer, to host: String?) {
        (transfer as? Download)?.returnConnection { origin in
            host.map { $0 == TaskConnections.host(of: origin) } ?? true
        }
    }

    func answerChallenge(of task: TaskID, _ answer: LoadChallengeAnswer) {
        questions.removeValue(forKey: task)?(answer)
    }

    func forgetConnections(ofSession session: SessionID) { clients.forget(session: session) }

    func forget(session: SessionID) {
        forgetConnections(ofSession: session)
        rateLimits.forget(session: session)
    }

    // MARK: Files

    func abandonCopy(for task: TaskID) { copies[task]?.abandon() }

    func seal(task: TaskID) { files.seal(task: task) }

    func discardFile(of task: TaskID) { files.discard(task: task) }

    func removeFile(of task: TaskID) { files.discardFile(ofEnded: task) }

    // MARK: The daemon itself

    func exit() { onExit() }
}
