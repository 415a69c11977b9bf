import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

extension SimulatedDaemon: DaemonWorld {
    var now: Date { world.date }

    func stillRuns() -> Bool {
        guard !lifetime.isOver else { return false }
        guard world.happens(perThousand: world.killRate / 4) else { return true }
        world.record("ferryd dies between two effects")
        world.count(.daemonDies)
        kill()
        return false
    }

    // MARK: Clients

    func answer(
        _ id: CallID,
        _ answer: DaemonStateMachine.Answer
    ) {
        guard let (call, connection) = calls.removeValue(forKey: id) else { return }
        world.promises.answered(call, with: answer, to: connection.process, in: world)
        connection.deliver { call.completion(.answer(answer)) }
    }

    func refuse(
        _ id: CallID,
        _ error: TransferInterfaceError
    ) {
        streams[id] = nil
        if case .sessionInUse = error { world.count(.sessionInUse) }
        guard let (call, connection) = calls.removeValue(forKey: id) else { return }
        connection.deliver { call.completion(.refusal(error)) }
    }

    func send(_ record: EventRecord, over id: CallID) {
        guard let event = record.sent else { return world.fail("an event is unreadable") }
        send(event, over: id)
    }

    func send(_ event: Wire.Event, over id: CallID) {
        guard var stream = streams[id], let (call, _) = calls[id] else { return }
        world.promises.sent(event, over: &stream, in: world)
        if world.sabotage == .losesQuestions, event.question != nil { return }
        streams[id] = stream
        let connection = stream.connection
        let session = call.sessionID
        let count = world.sabotage == .deliversTwice && event.sequence != nil ? 2 : 1
        for _ in 0..<count {
            if count == 2 { world.promises.sent(event, over: &stream, in: world) }
            connection.deliver { connection.process.take(event, of: session) }
        }
        guard world.random.happens(percent: 3) else { return }
        world.count(.slowReader)
        input { machine in machine.writability(of: id, false) }
        world.schedule(after: world.random.fraction() * 3, lifetime) { [self] _ in
            guard streams[id] != nil else { return }
            input { machine in machine.writability(of: id, true) }
        }
    }

    func endSubscription(_ id: CallID) {
        refuse(id, .sessionNotOpen(session: 0))
    }

    func changed(task: TaskID) {}
    func waitsChanged() {}

    func removed(task: TaskID) {}

    func writeLog(_ level: LogLevel, _ message: String, task: TaskID?) {
        world.record("log: \(task.map { "task \($0): " } ?? "")\(message)")
    }

    // MARK: Transfers

    /// Reads what a transfer needs and finds its place, which may take longer than its task lasts.
    func prepareTransfer(
        _ start: DaemonStateMachine.TransferStart,
        as preparation: TransferPreparation
    ) {
        let task = start.task.id
        // Nothing may have been checked since it got its place: a full disk keeps the machine busy.
        world.unfairSince[task] = nil
        guard world.random.happens(percent: 20) else {
            return driver.prepared(start, .success(()), as: preparation)
        }
        let isUnreadable = world.happens(perThousand: 50)
        let isSlow = world.random.happens(percent: 20)
        world.schedule(after: world.random.fraction() * (isSlow ? 5 : 0.1), lifetime) {
            [self] world in
            if !driver.transfers.isWanted(preparation, of: task) { world.count(.lostPreparation) }
            if isUnreadable { world.count(.failedPreparation) }
            let error = TransferError(code: .timedOut, message: "the authorities do not come")
            driver.prepared(start, isUnreadable ? .failure(error) : .success(()), as: preparation)
        }
    }

    func makeTransfer(
        _ start: DaemonStateMachine.TransferStart,
        _ setup: Void
    ) throws(TransferError) -> SimulatedTransfer {
        let task = start.task.id
        if let failure = start.task.checkpoint?.value?.failure { throw failure }
        guard let url = start.task.request.value?.url,
            let resource = world.servers.resource(url: url)
        else {
            world.fail("task \(task) has no request")
            throw TransferError(code: .internalFailure, message: "no request")
        }
        world.record("task \(task) loads \(url)")
        let upload = start.task.upload?.value
        let transfer =
            upload.map { SimulatedUpload(start, $0, resource: resource, on: self) }
            ?? SimulatedTransfer(start, resource: resource, on: self)
        startedTransfers = startedTransfers.filter(\.isActive) + [transfer]
        world.promises.started(transfer, of: start.task, in: world)
        world.promises.retries.started(start.task, in: world)
        transfer.start()
        return transfer
    }

    func stop(_ transfer: SimulatedTransfer, of task: TaskID) { transfer.cancel() }

    /// Forces a file onto the medium, which may take longer than the machine waits.
    func flush(_ transfer: SimulatedTransfer, of task: TaskID) {
        transfer.cancel()
        let holdsFile = transfer.holdsFile
        if holdsFile { tasksPutDown.insert(task) }
        let isSlow = world.random.happens(percent: 5)
        world.schedule(after: world.random.fraction() * (isSlow ? 5 : 0.1), lifetime) {
            [self] world in
            let file = holdsFile ? world.disk.downloads[task] : nil
            if let file, world.sabotage != .sleepsTooSoon {
                world.disk.synchronize(task, file.count, generation: file.record.generation)
            }
            let checkpoint = file.map { file in
                Checkpoint(
                    generation: file.record.generation,
                    version: file.record.version,
                    synchronizedByteCount: file.count,
                    writtenByteCount: file.count,
                    bootIdentifier: file.record.bootIdentifier
                )
            }
            let state = checkpoint.map { Encoded(ByteState(checkpoint: $0)) }
            input { machine in machine.flush(task: task, state) }
        }
    }

    func renewConnections() {}

    func inhibit(_ inhibition: MachineSleep.Inhibition) {}

    func allowSleep() { world.allowSleep(by: self) }

    func limitRates(_ rates: SharedRates, of transfer: SimulatedTransfer) {
        transfer.limit(to: rates)
    }

    func limitRates(_ rates: SharedRates, ofSession session: SessionID?) {
        if session == nil { self.rates = rates }
    }

    func prioritize(_ transfer: SimulatedTransfer, _ priority: Double) {
        transfer.priority = priority
    }

    func revokeConnection(of transfer: SimulatedTransfer, to host: String?) {
        transfer.returnConnection(to: host)
    }

    func answerChallenge(of task: TaskID, _ answer: LoadChallengeAnswer) {
        driver.transfers[task]?.take(answer)
    }

    func forgetConnections(ofSession session: SessionID) {}

    func forget(session: SessionID) {}

    // MARK: Files

    func abandonCopy(for task: TaskID) { copies[task] = false }

    func seal(task: TaskID) { onDisk { $0.disk.copies[task] = nil } }

    func discardFile(of task: TaskID) {
        onDisk { world in
            world.disk.downloads[task] = nil
            world.disk.copies[task] = nil
        }
    }

    func removeFile(of task: TaskID) { onDisk { $0.disk.downloads[task] = nil } }

    func adopt(_ data: Data, _ task: TaskRecord) {
        let isSlow = world.random.happens(percent: 5)
        onDisk(after: world.random.fraction() * (isSlow ? 5 : 0.02)) { [self] world in
            let result = adoption(of: data, for: task)
            world.schedule(after: world.random.fraction() * 0.02, lifetime) { [self] _ in
                input { machine in machine.adopted(task, result) }
            }
            // The worst moment: the file is taken over, and nobody knows.
            if world.happens(perThousand: 10 * world.killRate) { world.killSomething() }
        }
    }

    func secure(
        _ upload: UploadState,
        of task: TaskID,
        for call: CallID
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
                input { machine in
                    machine.secured(task: task, secured, for: call)
                }
            }
            // The worst moment: the file is copied, and nobody knows.
            if world.happens(perThousand: 10 * world.killRate) { world.killSomething() }
        }
    }

    /// Has a server forget an upload, which may not get through.
    func terminate(_ task: TaskRecord, _ resource: UploadResource) {
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
        let number = TaskID(Int64(String(decoding: data, as: UTF8.self)) ?? 0)
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

    func makeResumeData(of task: TaskRecord, _ ending: DaemonStateMachine.Ending) {
        let state = task.checkpoint?.value
        guard let unused = state?.resumeData else {
            return makeResumeData(of: task, state?.checkpoint, ending)
        }
        onDisk(after: world.random.fraction() * 0.02) { [self] _ in
            switch adoption(of: unused, for: task) {
            case .success(let checkpoint): makeResumeData(of: task, checkpoint, ending)
            case .failure(let error):
                let result: Result<Data, ResumeData.Unavailable> =
                    error.code == .diskFull ? .success(unused) : .failure(.bytesLost)
                input { machine in
                    machine.madeResumeData(result, of: task, ending)
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
        input { machine in machine.madeResumeData(result, of: task, ending) }
    }

    /// Puts a task's file where its resume data says.
    func keepFile(of task: TaskID, for data: Data) {
        if UploadResumeData.isAround(data) { world.disk.copies[task] = nil }
        if data == Data("\(task)".utf8) { world.disk.makeResumable(task) }
        world.disk.downloads[task] = nil
    }

    /// Copies a file for another task that asks for the same, which may take longer than anybody waits for.
    func copyFile(_ copy: DaemonStateMachine.FileCopy) {
        let isSlow = world.random.happens(percent: 5)
        copies[copy.follower] = true
        world.schedule(after: world.random.fraction() * (isSlow ? 20 : 0.1), lifetime) { [self] _ in
            let result = result(of: copy)
            // What came of it is told a moment later.
            world.schedule(after: world.random.fraction() * 0.02, lifetime) { [self] _ in
                copies[copy.follower] = nil
                input { machine in machine.copied(copy, result) }
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

    func launch(_ application: ApplicationID, _ launch: Wire.Launch, session: String) {
        world.promises.launches(application, in: world)
        if world.sabotage == .forgetsRelaunch || world.happens(perThousand: 100) {
            world.count(.failedLaunch)
            return input { machine in
                machine.launched(application, error: "ENOENT")
            }
        }
        guard let program = world.programs.first(where: { $0.executable == launch.executable })
        else { return world.fail("\(launch.executable) is no program") }
        world.count(.launch)
        let process = SimulatedProcess(program, in: world, for: session)
        process.onExit = { [self] in
            world.schedule(after: world.random.fraction() * 0.02, lifetime) { [self] _ in
                input { machine in
                    machine.applicationExited(application, status: "ended")
                }
            }
        }
        input { machine in machine.launched(application, error: nil) }
    }

    /// As `DaemonService` does: a client that has come at the last moment keeps it.
    func exit() {
        let wasIdle = machine.isIdle
        if wasIdle, world.happens(perThousand: 100) { SimulatedPerson.act(in: world) }
        for connection in wasIdle ? arriving : [] { accept(connection) }
        if wasIdle, !connections.isEmpty {
            world.record("ferryd goes on")
            world.count(.lastMomentClient)
            return input { machine in machine.proceed() }
        }
        world.record("ferryd ends")
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
