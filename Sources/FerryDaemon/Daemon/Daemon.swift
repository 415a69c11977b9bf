import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

/// Owns the daemon's state machine and performs its effects.
@LoopActor
final class Daemon {
    let store: Store
    let files: TransferFiles
    let clients: TransferClients
    let connectionFiles = ConnectionFiles()
    /// The current moment in the daemon's time.
    var now: Date { machine.clock.now() }
    /// The knowledge about servers from the uploads to them.
    let uploadMemory = UploadMemory()
    let log: Log
    let started = Date()
    let options: DaemonOptions
    /// The paths of the sockets that are listened on, for people.
    let socketPaths: [String]
    /// Called when the process is to end.
    private let onExit: @LoopActor () -> Void

    var machine: DaemonStateMachine
    var transfers: [Int64: any RunningTransfer] = [:]
    /// The actions of people that are not done yet, with the process that requested each.
    var actions: [DaemonStateMachine.CallIdentifier: (PersonalAction, Int32)] = [:]
    /// The files that were passed with calls that create uploads.
    var arrivingFiles: [DaemonStateMachine.CallIdentifier: ArrivingFile] = [:]
    /// The queues for the files of applications.
    let applicationQueues = ApplicationQueues()
    /// The copies of other tasks' files that are being made, by the task that gets the copy.
    var copies: [Int64: PartialFile.Copying] = [:]
    /// The functions that take the answers to challenges, by the transfer that waits for one.
    var questions: [Int64: @LoopActor (LoadChallengeAnswer) -> Void] = [:]
    let rateLimits = RateLimits()
    private var connectivity: ConnectivityObservation?
    private var wallClock: WallClockObservation?
    var children: [Int64: ChildProcess] = [:]
    /// The starts of applications that have not completed yet.
    var starts: [Int64: LaunchRecord] = [:]
    var answers: [DaemonStateMachine.CallIdentifier: PendingAnswer] = [:]
    var subscriptions: [DaemonStateMachine.CallIdentifier: Reply<Wire.Subscribe>] = [:]
    var timers: [DaemonStateMachine.Timer: LoopTimer] = [:]
    var connections: [ObjectIdentifier: DaemonStateMachine.ConnectionIdentifier] = [:]
    var watchers: [DaemonStateMachine.CallIdentifier: TaskWatcher] = [:]
    private var backlog = CommitBacklog()
    private var nextIdentifier: UInt64 = 1
    private var pendingEffects: [DaemonStateMachine.Effect] = []
    private var isPerforming = false

    /// Creates a daemon from its parts.
    ///
    /// - Parameters:
    ///   - store: The queue.
    ///   - files: The files of transfers.
    ///   - client: The client that carries transfers.
    ///   - log: The log.
    ///   - options: Its limits and delays.
    ///   - socketPaths: The paths of its sockets.
    ///   - onExit: Called on the loop when there is nothing left to do, or after a stop.
    init(
        store: Store,
        files: TransferFiles,
        client: HTTPClient,
        log: Log,
        options: DaemonOptions,
        socketPaths: [String],
        onExit: @escaping @LoopActor () -> Void
    ) {
        self.store = store
        self.files = files
        clients = TransferClients(sharing: client)
        self.log = log
        self.options = options
        self.socketPaths = socketPaths
        self.onExit = onExit
        machine = DaemonStateMachine(policy: options.policy, nextTaskID: store.nextTaskID)
    }

    isolated deinit {
        connectivity?.cancel()
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
        let rates = SharedRates.limits(try await store.value(of: .rates))
        var clock = DaemonClock(continuing: .decode(try await store.value(of: .clock)))
        _ = clock.note()
        await settleFiles()
        files.removeExpiredResumeFiles(now: Date())
        observeConnectivity()
        observeClock()
        perform(
            machine.start(
                applications: applications,
                sessions: sessions,
                rates: rates,
                clock: clock,
                connectivity: ConnectivityMonitor.shared.connectivity,
                at: clock.now()
            )
        )
    }

    /// Notifies the state machine when the clock is set.
    private func observeClock() {
        do throws(SystemCallError) {
            wallClock = try WallClockObservation { [weak self] in
                guard let self else { return }
                var clock = machine.clock
                guard clock.note() else { return }
                perform(machine.clockSet(clock, at: now))
            }
        } catch {
            log.write(.warning, "dates of tasks do not follow the clock when it is set: \(error)")
        }
    }

    /// Notifies the state machine when a route off this machine becomes available or unavailable.
    private func observeConnectivity() {
        connectivity = ConnectivityMonitor.shared.observe { [weak self] connectivity in
            self?.input { machine, now in machine.connectivityChanged(to: connectivity, at: now) }
        }
    }

    /// Ends the process as soon as the work under way is in the store.
    func stop() { perform(machine.stopDaemon(call: nil)) }

    /// Whether the process ends because it is idle, not because it was asked to stop.
    var mayGoOn: Bool { machine.stage == .idle }

    /// Continues to serve, because a client has connected after all.
    func goOn() { perform(machine.goOn(at: now)) }

    /// Returns a number that no other call, connection or watcher has.
    func makeIdentifier() -> UInt64 {
        nextIdentifier += 1
        return nextIdentifier
    }

    // MARK: Effects

    /// Performs effects in order, followed by the effects that result from them.
    func perform(_ effects: [DaemonStateMachine.Effect]) {
        pendingEffects += effects
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        while !pendingEffects.isEmpty {
            let batch = pendingEffects
            pendingEffects = []
            for effect in batch { perform(effect) }
        }
        if machine.isStopping, !backlog.isEmpty { clearBacklog() }
    }

    private func perform(_ effect: DaemonStateMachine.Effect) {
        switch effect {
        case .commit(let mutations, let durability, let continuation):
            commit(
                CommitBacklog.Commit(
                    mutations: mutations,
                    durability: durability,
                    continuation: continuation
                )
            )
        case .query(let query):
            ask(query)
        case .answer(let call, let answer):
            arrivingFiles[call] = nil
            if let (action, process) = actions.removeValue(forKey: call) {
                log.write(.info, action.text(by: process, answer), task: action.task)
            }
            answers.removeValue(forKey: call)?.succeed(answer)
        case .refuse(let call, let error):
            arrivingFiles[call] = nil
            actions[call] = nil
            answers.removeValue(forKey: call)?.refuse(error)
        case .send(let call, let event):
            send(event, over: call)
        case .endSubscription(let call):
            answers.removeValue(forKey: call)?.refuse(.sessionNotOpen(session: 0))
        case .start(let start):
            startTransfer(start)
        case .limitRate(let task, let rates):
            transfers[task]?.rates?.limit(receiving: rates.receive, sending: rates.send)
        case .limitRates(let rates, let session):
            rateLimits.set(rates, forSession: session)
        case .prioritize(let task, let priority):
            transfers[task]?.rates?.setPriority(priority)
        case .recallConnection(let task, let host):
            (transfers[task] as? Download)?.returnConnection { origin in
                host.map { $0 == TaskConnections.host(of: origin) } ?? true
            }
        case .stop(let task):
            transfers.removeValue(forKey: task)?.cancel()
            questions[task] = nil
        case .answerChallenge(let task, let answer):
            questions.removeValue(forKey: task)?(answer)
        case .copyFile(let copy):
            copyFile(copy)
        case .abandonCopy(let task):
            copies[task]?.abandon()
        case .seal(let task):
            files.seal(task: task)
        case .adopt(let resumeData, let task):
            adopt(resumeData, task)
        case .secure(let task, let upload, let call):
            secure(upload, of: task, for: call)
        case .terminate(let task, let resource):
            terminate(task, resource)
        case .makeResumeData(let task, let ending):
            makeResumeData(of: task, ending)
        case .keepFile(let task, let resumeData):
            keepFile(of: task, for: resumeData)
        case .forgetSession(let session):
            clients.forget(session: session)
            rateLimits.forget(session: session)
        case .discardFile(let task):
            files.discard(task: task)
        case .removeFile(let task):
            files.discardFile(ofEnded: task)
        case .launch(let application, let launch, let session):
            self.launch(application, launch, session: session)
        case .setTimer(let timer, let date):
            setTimer(timer, date)
        case .changed(let task):
            for watcher in watchers.values { watcher.changed(task) }
        case .removed(let task):
            for watcher in watchers.values { watcher.removed(task) }
        case .log(let level, let message, let task):
            log.write(level, message, task: task)
        case .exit:
            onExit()
        }
    }

    private func setTimer(_ timer: DaemonStateMachine.Timer, _ date: Date?) {
        timers.removeValue(forKey: timer)?.cancel()
        guard let date else { return }
        // A timer beyond a month checks the clock again before it fires.
        let seconds = min(max(0, date.timeIntervalSince(now)), 2_592_000)
        timers[timer] = EventLoop.shared.schedule(after: .seconds(seconds)) { [weak self] in
            guard let self else { return }
            timers[timer] = nil
            guard date.timeIntervalSince(now) <= 0.001 else { return setTimer(timer, date) }
            perform(machine.timerFired(timer, at: max(now, date)))
        }
    }

    // MARK: The store

    private func commit(_ commit: CommitBacklog.Commit) {
        var commit = commit
        guard !backlog.enqueue(&commit) else { return }
        store.submit(commit.mutations, durability: commit.durability) { [self] result in
            switch result {
            case .success(let receipt):
                for continuation in backlog.succeeded(commit, receipt) {
                    perform(machine.committed(Receipt(), continuation, at: now))
                }
                perform(machine.committed(receipt, commit.continuation, at: now))
            case .failure(let error):
                failed(commit, error)
            }
        }
    }

    /// Retries a failed commit that must reach the store, however long the disk is full, unless the daemon is stopping.
    private func failed(_ commit: CommitBacklog.Commit, _ error: StoreError) {
        guard !machine.isStopping, backlog.enqueue(commit, after: error) else {
            return perform(machine.commitFailed(error, commit.continuation, at: now))
        }
        guard let delay = backlog.delay() else { return }
        log.write(.error, "the queue cannot be written: \(error.message)")
        _ = EventLoop.shared.schedule(after: delay) { [weak self] in self?.clearBacklog() }
    }

    private func clearBacklog() {
        for commit in backlog.takeAll() { self.commit(commit) }
    }

    private func ask(_ query: DaemonStateMachine.Query) {
        LoopActor.task { [self] in
            let result = await StoreQuery(store: store).run(query)
            perform(machine.answered(query, result, at: now))
        }
    }
}
