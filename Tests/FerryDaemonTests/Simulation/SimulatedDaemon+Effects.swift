import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

extension SimulatedDaemon {
    /// Performs one effect.
    func perform(_ effect: DaemonStateMachine.Effect) {
        switch effect {
        case .commit(let mutations, let durability, let continuation):
            commit(mutations, durability, continuation)
        case .query(let query): submit(query)
        case .answer(let id, let answer): self.answer(id, answer)
        case .refuse(let id, let error): refuse(id, error)
        case .send(let id, let event): send(event, over: id)
        case .endSubscription(let id): refuse(id, .sessionNotOpen(session: 0))
        case .start(let start): self.start(start)
        case .limitRate(let task, let rates): transfers[task]?.limit(to: rates)
        case .prioritize(let task, let priority): transfers[task]?.priority = priority
        case .recallConnection(let task, let host): transfers[task]?.returnConnection(to: host)
        case .stop(let task): transfers.removeValue(forKey: task)?.cancel()
        case .answerChallenge(let task, let answer): transfers[task]?.take(answer)
        case .copyFile(let copy): copyFile(copy)
        case .abandonCopy(let task): copies[task] = false
        case .seal(let task): onDisk { $0.disk.copies[task] = nil }
        case .adopt(let data, let task): adopt(data, task)
        case .secure(let task, let upload, let call): secure(upload, of: task, for: call)
        case .makeResumeData(let task, let ending): makeResumeData(of: task, ending)
        case .keepFile(let task, let data): keepFile(of: task, for: data)
        case .discardFile(let task):
            onDisk { world in
                world.disk.downloads[task] = nil
                world.disk.copies[task] = nil
            }
        case .removeFile(let task): onDisk { $0.disk.downloads[task] = nil }
        case .launch(let application, let launch, let session):
            self.launch(application, launch, session)
        case .setTimer(let timer, let date): setTimer(timer, date)
        case .changed, .removed, .forgetSession, .limitRates: break
        case .terminate(let task, let resource): terminate(task, resource)
        case .log(_, let text, let task):
            world.note("log: \(task.map { "task \($0): " } ?? "")\(text)")
        case .exit: exit()
        }
    }

    private func commit(
        _ mutations: [Mutation],
        _ durability: Durability,
        _ continuation: DaemonStateMachine.Continuation
    ) {
        var commit = CommitBacklog.Commit(
            mutations: mutations,
            durability: durability,
            continuation: continuation
        )
        world.sabotage?.falsify(&commit)
        submit(commit)
        guard world.sabotage == .acknowledgesBeforeCommit else { return }
        if case .created(let call) = continuation, case .insertTask(let task) = mutations.first {
            answer(call, .created(task: task.id))
        }
    }

    // MARK: Clients

    private func answer(
        _ id: DaemonStateMachine.CallIdentifier,
        _ answer: DaemonStateMachine.Answer
    ) {
        guard let (call, connection) = calls.removeValue(forKey: id) else { return }
        world.promises.answered(call, with: answer, to: connection.process, in: world)
        connection.deliver { call.completion(.answer(answer)) }
    }

    private func refuse(
        _ id: DaemonStateMachine.CallIdentifier,
        _ error: TransferInterfaceError
    ) {
        streams[id] = nil
        if case .sessionInUse = error { world.count(.sessionInUse) }
        guard let (call, connection) = calls.removeValue(forKey: id) else { return }
        connection.deliver { call.completion(.refusal(error)) }
    }

    private func send(_ event: Wire.Event, over id: DaemonStateMachine.CallIdentifier) {
        guard var stream = streams[id], let (call, _) = calls[id] else { return }
        world.promises.sent(event, over: &stream, in: world)
        if world.sabotage == .losesQuestions, event.question != nil { return }
        streams[id] = stream
        let connection = stream.connection
        let session = call.session
        let count = world.sabotage == .deliversTwice && event.sequence != nil ? 2 : 1
        for _ in 0..<count {
            if count == 2 { world.promises.sent(event, over: &stream, in: world) }
            connection.deliver { connection.process.take(event, of: session) }
        }
        guard world.random.happens(percent: 3) else { return }
        world.count(.slowReader)
        input { machine, _ in machine.writability(of: id, false) }
        world.schedule(after: world.random.fraction() * 3, lifetime) { [self] _ in
            guard streams[id] != nil else { return }
            input { machine, _ in machine.writability(of: id, true) }
        }
    }

    // MARK: Transfers

    private func start(_ start: DaemonStateMachine.TransferStart) {
        let task = start.task.id
        if transfers[task] != nil { world.fail("two transfers of task \(task)") }
        guard let url = Stored.request(start.task.request)?.url,
            let resource = world.servers.resource(url: url)
        else { return world.fail("task \(task) has no request") }
        if let failure = ByteState.decode(start.task.checkpoint)?.failure {
            input { machine, now in machine.failed(task: task, failure, at: now) }
            return
        }
        world.note("task \(task) loads \(url)")
        let upload = UploadState.decode(start.task.upload)
        let transfer =
            upload.map { SimulatedUpload(start, $0, resource: resource, on: self) }
            ?? SimulatedTransfer(start, resource: resource, on: self)
        transfers[task] = transfer
        startedTransfers = startedTransfers.filter(\.isActive) + [transfer]
        // Nothing may have been checked since it got its place: a full disk keeps the machine busy.
        world.unfairSince[task] = nil
        world.promises.started(start.task, in: world)
        world.promises.retries.started(start.task, in: world)
        transfer.start()
    }

    private func adopt(_ data: Data, _ task: TaskRecord) {
        let isSlow = world.random.happens(percent: 5)
        onDisk(after: world.random.fraction() * (isSlow ? 5 : 0.02)) { [self] world in
            let result = adoption(of: data, for: task)
            world.schedule(after: world.random.fraction() * 0.02, lifetime) { [self] _ in
                input { machine, now in machine.adopted(task, result, at: now) }
            }
            // The worst moment: the file is taken over, and nobody knows.
            if world.happens(perThousand: 10 * world.killRate) { world.killSomething() }
        }
    }

    private func secure(
        _ upload: UploadState,
        of task: Int64,
        for call: DaemonStateMachine.CallIdentifier
    ) {
        let isCopied = world.random.happens(percent: 60)
        onDisk(after: world.random.fraction() * 0.05) { [self] world in
            var secured: UploadState?
            if isCopied, !world.isDiskFull, world.sources.isSame(upload.identity) {
                world.count(.copiedSource)
                if world.sabotage != .losesCopies {
                    world.disk.copies[task] = upload.identity.modified
                }
                secured = upload
                secured?.place = .copy
            }
            world.schedule(after: world.random.fraction() * 0.02, lifetime) { [self] _ in
                input { machine, now in
                    machine.secured(task: task, secured, for: call, at: now)
                }
            }
            // The worst moment: the file is copied, and nobody knows.
            if world.happens(perThousand: 10 * world.killRate) { world.killSomething() }
        }
    }

    /// Has a server forget an upload, which may not get through.
    private func terminate(_ task: TaskRecord, _ resource: UploadResource) {
        world.promises.uploads.terminates(task, resource, in: world)
        guard world.random.happens(percent: 80) else { return }
        world.schedule(after: world.random.fraction(), lifetime) { world in
            world.count(.uploadTerminated)
            world.uploads.lose(resource.url)
        }
    }

    /// Does something behind all that the disk was to do before.
    private func onDisk(after delay: Double = 0, _ work: @escaping (Simulation) -> Void) {
        guard delay > 0 || world.now < lastDiskTime else { return work(world) }
        lastDiskTime = max(lastDiskTime, world.now + delay)
        world.schedule(at: lastDiskTime, lifetime, work)
    }

    private func adoption(
        of data: Data,
        for task: TaskRecord
    ) -> Result<Checkpoint, TransferError> {
        let number = Int64(String(decoding: data, as: UTF8.self)) ?? 0
        if world.isDiskFull, world.disk.resumable[number] != nil {
            return .failure(TransferError(code: .diskFull, message: "no room for a copy"))
        }
        let isAgain = world.disk.downloads[task.id] != nil
        if let checkpoint = world.disk.adopt(number, for: task.id) {
            world.count(isAgain ? .repeatedAdoption : .adoption)
            return .success(checkpoint)
        }
        if world.disk.lacks(number, for: task.id) {
            world.fail("the bytes of resume data \(number) are lost")
        }
        world.count(.uselessResumeData)
        return .failure(TransferError(code: .fileMissing, message: "used"))
    }

    private func makeResumeData(of task: TaskRecord, _ ending: DaemonStateMachine.Ending) {
        let state = ByteState.decode(task.checkpoint)
        guard let unused = state?.resumeData else {
            return makeResumeData(of: task, state?.checkpoint, ending)
        }
        onDisk(after: world.random.fraction() * 0.02) { [self] _ in
            switch adoption(of: unused, for: task) {
            case .success(let checkpoint): makeResumeData(of: task, checkpoint, ending)
            case .failure(let error):
                let result: Result<Data, ResumeData.Unavailable> =
                    error.code == .diskFull ? .success(unused) : .failure(.bytesLost)
                input { machine, now in
                    machine.madeResumeData(result, of: task, ending, at: now)
                }
            }
        }
    }

    private func makeResumeData(
        of task: TaskRecord,
        _ checkpoint: Checkpoint?,
        _ ending: DaemonStateMachine.Ending
    ) {
        let held = world.disk.recover(task.id, checkpoint, trustsLength: false)
        let result: Result<Data, ResumeData.Unavailable> =
            held.map { _ in .success(Data("\(task.id)".utf8)) } ?? .failure(.nothingReceived)
        input { machine, now in machine.madeResumeData(result, of: task, ending, at: now) }
    }

    /// Puts a task's file where its resume data says.
    func keepFile(of task: Int64, for data: Data) {
        if UploadResumeData.isAround(data) { world.disk.copies[task] = nil }
        if data == Data("\(task)".utf8) { world.disk.makeResumable(task) }
        world.disk.downloads[task] = nil
    }

    /// Copies a file for another task that asks for the same, which may take longer than anybody waits for.
    private func copyFile(_ copy: DaemonStateMachine.FileCopy) {
        let isSlow = world.random.happens(percent: 5)
        copies[copy.follower] = true
        world.schedule(after: world.random.fraction() * (isSlow ? 20 : 0.1), lifetime) { [self] _ in
            let result = result(of: copy)
            // What came of it is told a moment later.
            world.schedule(after: world.random.fraction() * 0.02, lifetime) { [self] _ in
                copies[copy.follower] = nil
                input { machine, now in machine.copied(copy, result, at: now) }
            }
        }
    }

    private func result(
        of copy: DaemonStateMachine.FileCopy
    ) -> DaemonStateMachine.FileCopy.Result {
        let id = copy.follower
        guard copies[id] == true, let file = world.disk.downloads[copy.leader] else {
            if copies[id] == false { world.count(.abandonedCopy) }
            return .failed(TransferError(code: .cancelled, message: "given up"))
        }
        if world.isDiskFull { return .failed(TransferError(code: .diskFull, message: "full")) }
        if world.random.happens(percent: 10) {
            world.count(.tooLargeCopy)
            return .tooLarge
        }
        world.count(.sharedFile)
        world.disk.downloads[id] = file
        if world.sabotage == .losesSharedBytes {
            world.disk.downloads[id]?.truncate(to: copy.byteCount / 2)
        }
        return .copied("\(id)")
    }

    // MARK: Applications and the end

    private func launch(_ application: Int64, _ launch: LaunchRecord, _ session: String) {
        world.promises.launches(application, in: world)
        if world.sabotage == .forgetsRelaunch || world.happens(perThousand: 100) {
            world.count(.failedLaunch)
            return input { machine, now in
                machine.launched(application, error: "ENOENT", at: now)
            }
        }
        guard let program = world.programs.first(where: { $0.executable == launch.executable })
        else { return world.fail("\(launch.executable) is no program") }
        world.count(.launch)
        let process = SimulatedProcess(program, in: world, for: session)
        process.onExit = { [self] in
            world.schedule(after: world.random.fraction() * 0.02, lifetime) { [self] _ in
                input { machine, now in
                    machine.applicationExited(application, status: "ended", at: now)
                }
            }
        }
        input { machine, now in machine.launched(application, error: nil, at: now) }
    }

    /// As `DaemonService` does: a client that has come at the last moment keeps it.
    private func exit() {
        let wasIdle = machine.stage == .idle
        if wasIdle, world.happens(perThousand: 100) { SimulatedPerson.act(in: world) }
        for connection in wasIdle ? arriving : [] { accept(connection) }
        if wasIdle, !connections.isEmpty {
            world.note("ferryd goes on")
            world.count(.lastMomentClient)
            return input { machine, now in machine.goOn(at: now) }
        }
        world.note("ferryd ends")
        world.count(wasIdle ? .idleEnd : .stop)
        if !line.isEmpty { world.fail("the daemon ends with work for the store left") }
        if wasIdle, world.database.current.totals().waitingTasks > 0 {
            world.fail("the daemon ends while tasks wait")
        }
        kill()
        guard !wasIdle, world.season != .wild else { return }
        world.schedule(after: 1) { _ = $0.daemonForClient() }
    }
}

extension Sabotage {
    /// Changes a commit.
    fileprivate func falsify(_ commit: inout CommitBacklog.Commit) {
        switch (self, commit.continuation) {
        case (.relaxesCommits, _):
            commit.durability = .relaxed
        case (.forgetsAcknowledgements, .acknowledged), (.forgetsQuit, .quit):
            commit.mutations = []
        case (.endsTwice, .ended):
            commit.mutations = commit.mutations.map { mutation in
                guard case .completeTask(let key, let events, let date) = mutation,
                    let last = events.last
                else { return mutation }
                return .completeTask(key, events + [last], at: date)
            }
        case (.forgetsLosses, .backedOff):
            commit.mutations = commit.mutations.map {
                $0.changingFailure { $0.mostByteCount = nil }
            }
        case (.overlooksGains, .backedOff):
            commit.mutations = commit.mutations.map {
                $0.changingFailure { $0.mostByteCount = .max }
            }
        case (.neverPauses, .backedOff):
            commit.mutations = commit.mutations.map { mutation in
                guard case .setRetry(let task, let attempts, _, let failure) = mutation else {
                    return mutation
                }
                return .setRetry(task: task, attempts: attempts, notBefore: nil, lastError: failure)
            }
        default:
            break
        }
    }
}

extension Mutation {
    /// Changes what the store keeps about an attempt that has failed.
    fileprivate func changingFailure(_ change: (inout AttemptFailure) -> Void) -> Mutation {
        guard case .setRetry(let task, let attempts, let notBefore, let bytes) = self,
            var failure = AttemptFailure.decode(bytes)
        else { return self }
        change(&failure)
        return .setRetry(
            task: task,
            attempts: attempts,
            notBefore: notBefore,
            lastError: failure.encoded
        )
    }
}
