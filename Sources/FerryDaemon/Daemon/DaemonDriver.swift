import FerryStore
import FerryTransfer
import FoundationEssentials

/// Owns the daemon's state machine, and has a world perform its effects.
///
/// Effects are performed in order. An input that arrives while they are performed changes the machine at once; its
/// effects follow those that are still to be performed.
class DaemonDriver<World: DaemonWorld> {
    typealias Machine = DaemonStateMachine

    /// The state machine, to be read.
    ///
    /// It is final so that a test's read of a part does not copy the whole.
    final private(set) var machine: Machine
    // The world owns the driver.
    private unowned let world: World
    private var backlog = CommitBacklog()
    private var pendingEffects: [Machine.Effect] = []
    private var isPerforming = false
    /// The transfers of tasks, to be read.
    final private(set) var transfers = TaskTransfers<World.Transfer>()
    /// When the timers that are set are due.
    private(set) var timers: [Machine.Timer: Date] = [:]

    /// Creates a driver.
    ///
    /// - Parameters:
    ///   - machine: The state machine.
    ///   - world: The world, which owns the driver.
    init(_ machine: Machine, in world: World) {
        self.machine = machine
        self.world = world
    }

    /// Passes an input to the state machine, and performs the resulting effects.
    ///
    /// - Parameters:
    ///   - now: The time; `nil` for the time by the machine's clock.
    ///   - body: What happens.
    func input(at now: Date? = nil, _ body: (inout Machine) -> Void) {
        perform(machine.handle(at: now ?? world.now, body))
    }

    /// Changes the state machine in a way that has no effects, or reads a part of it without a copy of the whole.
    final func change<Result>(_ body: (inout Machine) -> Result) -> Result { body(&machine) }

    // MARK: Effects

    /// Performs effects in order, followed by the effects that result from them.
    func perform(_ effects: [Machine.Effect]) {
        pendingEffects += effects
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        while !pendingEffects.isEmpty {
            let batch = pendingEffects
            pendingEffects = []
            for effect in batch {
                guard world.stillRuns() else { return }
                perform(effect)
            }
        }
        if machine.isStopping, !backlog.isEmpty { clearBacklog() }
    }

    private func perform(_ effect: Machine.Effect) {
        switch effect {
        case .commit(let mutations, let durability, let continuation):
            commit(
                CommitBacklog.Commit(
                    mutations: mutations,
                    durability: durability,
                    continuation: continuation
                )
            )
        case .query(let query): world.ask(query)
        case .answer(let call, let answer): world.answer(call, answer)
        case .refuse(let call, let error): world.refuse(call, error)
        case .send(let call, let event): world.send(event, over: call)
        case .sendEnd(let call, let event): world.send(event, over: call)
        case .endSubscription(let call): world.endSubscription(call)
        case .start(let start): startTransfer(start)
        case .limitRate(let task, let rates): limitRates(rates, of: task)
        case .limitRates(let rates, let session): world.limitRates(rates, ofSession: session)
        case .prioritize(let task, let priority): prioritize(task, priority)
        case .revokeConnection(let task, let host):
            if let transfer = transfers[task] { world.revokeConnection(of: transfer, to: host) }
        case .stop(let task):
            if let transfer = transfers.remove(task) { world.stop(transfer, of: task) }
        case .flush(let task): flush(task)
        case .renewConnections: world.renewConnections()
        case .inhibit(let inhibition): world.inhibit(inhibition)
        case .allowSleep: world.allowSleep()
        case .answerChallenge(let task, let answer): world.answerChallenge(of: task, answer)
        case .copyFile(let copy): world.copyFile(copy)
        case .abandonCopy(let task): world.abandonCopy(for: task)
        case .seal(let task): world.seal(task: task)
        case .adopt(let resumeData, let task): world.adopt(resumeData, task)
        case .secure(let task, let upload, let call): world.secure(upload, of: task, for: call)
        case .terminate(let task, let resource): world.terminate(task, resource)
        case .makeResumeData(let task, let ending): world.makeResumeData(of: task, ending)
        case .keepFile(let task, let resumeData): world.keepFile(of: task, for: resumeData)
        case .forgetConnections(let session): world.forgetConnections(ofSession: session)
        case .forgetSession(let session): world.forget(session: session)
        case .discardFile(let task): world.discardFile(of: task)
        case .removeFile(let task): world.removeFile(of: task)
        case .launch(let application, let launch, let session):
            world.launch(application, launch, session: session)
        case .observe(let conditions): world.observe(conditions)
        case .setTimer(let timer, let date): setTimer(timer, date)
        case .changed(let task): world.changed(task: task)
        case .waitsChanged: world.waitsChanged()
        case .removed(let task): world.removed(task: task)
        case .log(let level, let message, let task): world.writeLog(level, message, task: task)
        case .exit: world.exit()
        }
    }

    // MARK: Transfers

    private func startTransfer(_ start: Machine.TransferStart) {
        world.prepareTransfer(start, as: transfers.prepare(start.task.id))
    }

    /// What a transfer needs is there, or cannot be had.
    func prepared(
        _ start: Machine.TransferStart,
        _ setup: Result<World.Setup, TransferError>,
        as preparation: TransferPreparation
    ) {
        let task = start.task.id
        guard transfers.isWanted(preparation, of: task) else { return }
        do throws(TransferError) {
            let transfer = try world.makeTransfer(start, try setup.get())
            let settings = transfers.endPreparation(of: task, with: transfer)
            if let rates = settings.rates { world.limitRates(rates, of: transfer) }
            if let priority = settings.priority { world.prioritize(transfer, priority) }
        } catch {
            _ = transfers.endPreparation(of: task, with: nil)
            input { $0.failed(task: task, error) }
        }
    }

    private func flush(_ task: TaskID) {
        guard let transfer = transfers.remove(task) else {
            // It was still being prepared, and has written nothing.
            return input { $0.flush(task: task, nil) }
        }
        world.flush(transfer, of: task)
    }

    private func limitRates(_ rates: SharedRates, of task: TaskID) {
        transfers.change(task) { $0.rates = rates }
        if let transfer = transfers[task] { world.limitRates(rates, of: transfer) }
    }

    private func prioritize(_ task: TaskID, _ priority: Double) {
        transfers.change(task) { $0.priority = priority }
        if let transfer = transfers[task] { world.prioritize(transfer, priority) }
    }

    // MARK: Timers

    private func setTimer(_ timer: Machine.Timer, _ date: Date?) {
        timers[timer] = date
        // A timer beyond a month checks the clock again before it fires.
        let seconds = date.map { min(max(0, $0.timeIntervalSince(world.now)), 2_592_000) }
        world.setAlarm(timer, after: seconds)
    }

    /// An alarm has rung; the machine's timer fires if its date has come by the daemon's clock.
    func alarmRang(_ timer: Machine.Timer) {
        guard let date = timers[timer] else { return }
        let now = world.now
        guard date.timeIntervalSince(now) <= 0.001 else { return setTimer(timer, date) }
        timers[timer] = nil
        input(at: max(now, date)) { $0.timerFired(timer) }
    }

    // MARK: The store

    private func commit(_ commit: CommitBacklog.Commit) {
        var commit = commit
        guard !backlog.enqueue(&commit) else { return }
        world.submit(commit)
    }

    /// The store has taken a commit or has failed to.
    func finished(_ commit: CommitBacklog.Commit, _ result: Result<Receipt, StoreError>) {
        switch result {
        case .success(let receipt):
            for continuation in backlog.succeeded(commit, receipt) {
                input { $0.committed(Receipt(), continuation) }
            }
            input { $0.committed(receipt, commit.continuation) }
        case .failure(let error):
            failed(commit, error)
        }
    }

    /// Retries a failed commit that must reach the store, however long the disk is full, unless the daemon is stopping.
    private func failed(_ commit: CommitBacklog.Commit, _ error: StoreError) {
        guard !machine.isStopping, backlog.enqueue(commit, after: error) else {
            return input {
                $0.commitFailed(error, commit.continuation)
            }
        }
        if let delay = backlog.delay() { world.retry(after: delay, because: error) }
    }

    /// Makes the commits again that the store could not take.
    func clearBacklog() {
        for commit in backlog.takeAll() { self.commit(commit) }
    }

    /// The store has answered a query.
    func answered(_ query: Machine.Query, _ result: Result<Machine.Finding, StoreError>) {
        input { $0.answered(query, result) }
    }
}
