import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension Daemon {
    // MARK: Starting and stopping

    func prepareTransfer(
        _ start: DaemonStateMachine.TransferStart,
        as preparation: TransferPreparation
    ) {
        let task = start.task
        connectionFiles.read(
            start.connections,
            ofSession: task.sessionID,
            createdAt: task.createdAt,
            at: now
        ) { [weak self] setup in
            guard let self, driver.transfers.isWanted(preparation, of: task.id) else { return }
            guard case .success = setup, task.upload == nil, needsPlace(start) else {
                return driver.prepared(start, setup, as: preparation)
            }
            LoopActor.task { [self] in
                let place = await findPlace(
                    of: task.id,
                    in: start.options?.directory,
                    on: queue(of: task)
                )
                driver.prepared(start, place.flatMap { setup }, as: preparation)
            }
        }
    }

    /// Returns whether a download's file is written elsewhere than among the daemon's own.
    private func needsPlace(_ start: DaemonStateMachine.TransferStart) -> Bool {
        start.options?.directory != nil || files.hasPlace(start.task.id)
    }

    func makeTransfer(
        _ start: DaemonStateMachine.TransferStart,
        _ setup: ConnectionSetup
    ) throws(TransferError) -> any RunningTransfer {
        let task = start.task
        guard let request = task.requestToSend else {
            throw TransferError(
                code: .internalFailure,
                message: "the request of task \(task.id) cannot be read"
            )
        }
        let transfer: any RunningTransfer =
            if let upload = task.upload?.value {
                try makeUpload(start, request, upload, setup)
            } else {
                try makeDownload(start, request, setup)
            }
        log.write(.info, "attempt \(task.attempts + 1) starts", task: task.id)
        transfer.start()
        return transfer
    }

    /// Returns the client that carries a transfer.
    func client(
        for start: DaemonStateMachine.TransferStart,
        _ setup: ConnectionSetup
    ) throws(TransferError) -> HTTPClient {
        do throws(HTTPError) {
            return try clients.client(
                for: start.task.sessionID,
                decides: start.asksForTrust,
                setup
            )
        } catch {
            throw TransferError(error)
        }
    }

    /// Finds or chooses where a download's file is written.
    func findPlace(
        of task: TaskID,
        in directory: String?,
        on queue: BlockingQueue
    ) async -> Result<Void, TransferError> {
        do throws(TransferError) {
            try await files.findFile(of: task, on: queue)
        } catch {
            return .failure(error)
        }
        guard let directory,
            let refusal = await files.choosePlace(for: task, in: directory, on: queue)
        else { return .success(()) }
        let reason = "the file does not grow in \(directory): \(refusal)"
        log.write(.notice, reason, task: task)
        return .success(())
    }

    private func makeDownload(
        _ start: DaemonStateMachine.TransferStart,
        _ request: Wire.Request,
        _ setup: ConnectionSetup
    ) throws(TransferError) -> Download {
        let task = start.task
        let state = task.checkpoint?.value
        if let failure = state?.failure { throw failure }
        try requireRoom(for: task)
        let wanted = start.options
        let file = files.file(of: task.id)
        let retry = options.policy.retry.applying(wanted?.retry)
        let load = loadConfiguration(for: start)
        return Download(
            name: "task \(task.id)",
            request: task.transferRequest(request, adding: start.additionalFields),
            file: file,
            checkpoint: state?.checkpoint,
            client: try client(for: start, setup),
            configuration: Download.Configuration(
                synchronization: .everySecond(files.synchronizer(of: task.id)),
                unavailableResponses: unavailableResponses(to: start),
                retriedStatuses: retry.statuses,
                refusesErrorResponses: wanted?.refusesErrorResponses ?? false,
                link: task.link?.value?.number ?? state?.checkpoint?.version.link,
                linkStatuses: start.asksForLink ? Download.expiredLinkStatuses : [],
                holdsExpiredLinks: wanted?.holdsExpiredLinks ?? false,
                maximumByteCount: wanted?.maximumByteCount.map { Int64($0) },
                digests: wanted?.expectedDigests ?? [],
                announcesResumption: state?.isFromResumeData ?? false,
                earlierResponse: task.response?.value,
                segments: options.policy.segments.limited(to: wanted?.maximumConnections),
                mirrors: wanted?.mirrors ?? [],
                load: load
            ),
            decider: BackgroundDecider(
                challenges: challenges(of: task, setup),
                cookies: load.cookies,
                onCollect: { [weak self] in self?.collected($0, task.id) }
            ),
            connections: TaskConnections(task: task.id, session: task.sessionID, daemon: self),
            events: events(of: task.id, into: file)
        )
    }

    /// Throws if the disk was full and still has no room, so that no server is asked.
    private func requireRoom(for task: TaskRecord) throws(TransferError) {
        guard task.lastError?.value?.errorCode == .diskFull else { return }
        let missing = task.expectedByteCount.map { max(0, $0 - task.receivedByteCount) }
        if let shortage = files.shortage(of: missing, for: task.id) { throw shortage }
    }

    /// Returns the configuration for loading a transfer's requests.
    func loadConfiguration(for start: DaemonStateMachine.TransferStart) -> Load.Configuration {
        let own = start.options?.rates ?? SharedRates()
        let rates = rateLimits.makeRates(forSession: start.task.sessionID)
        rates.limit(receiving: own.receive, sending: own.send)
        rates.setPriority(start.task.priority)
        var configuration = Load.Configuration(
            redirectPolicy: RedirectPolicy(
                maximumCount: start.options?.maximumRedirects,
                requiresTLS: start.options?.requiresTLS ?? false
            ),
            asksForTrust: start.asksForTrust,
            rates: rates,
            connectTimeout: start.options?.connectTimeout.map { .seconds($0) },
            minimumReceiveRate: start.options?.minimumReceiveRate.map { Int64($0) } ?? 0,
            acceptsInvalidCertificates: start.options?.acceptsInvalidCertificates ?? false
        )
        configuration.cookies = start.options?.ownCookies ?? []
        return configuration
    }

    /// Returns how to treat a response that the server is unavailable, given the number of consecutive ones.
    func unavailableResponses(
        to start: DaemonStateMachine.TransferStart
    ) -> Download.UnavailableResponses {
        options.policy.retry.applying(start.options?.retry).unavailableResponses(
            after: start.task.lastError?.value?.unavailableCount ?? 0
        )
    }

    func challenges(of task: TaskRecord, _ setup: ConnectionSetup) -> TaskChallenges {
        let own = setup.identity.flatMap { OwnIdentity($0, meantFor: task.ownURL) }
        return TaskChallenges(
            task: task.id,
            session: task.sessionID,
            ownIdentity: own,
            daemon: self
        )
    }

    private func events(of task: TaskID, into file: PartialFile) -> Download.Events {
        Download.Events(
            responded: { [weak self] head, request in
                self?.responded(task, head, request)
            },
            resumed: { [weak self] offset, total in
                self?.input {
                    $0.resumed(task: task, offset: offset, expected: total)
                }
            },
            restarted: { [weak self] reason in
                self?.log.write(.notice, "the whole is fetched: \(reason)", task: task)
            },
            progressed: { [weak self] received, total, coded in
                self?.input {
                    $0.progressed(
                        task: task,
                        received: received,
                        expected: total,
                        coded: coded
                    )
                }
            },
            checkpointed: { [weak self] checkpoint in
                self?.input {
                    $0.checkpointed(task: task, Encoded(ByteState(checkpoint: checkpoint)))
                }
            },
            finished: { [weak self] result in
                self?.finished(task, result, file)
            },
            failed: { [weak self] error in
                self?.input { $0.failed(task: task, error) }
            }
        )
    }

    func collected(_ transaction: LoadTransaction, _ task: TaskID) {
        input { $0.collected(task: task, transaction) }
    }

    func responded(_ task: TaskID, _ head: HTTPResponseHead, _ request: TransferRequest) {
        log.write(.info, "the server answers \(head.status)", task: task)
        input {
            $0.responded(
                task: task,
                response: head,
                request: Wire.Request(request)
            )
        }
    }

    private func finished(_ task: TaskID, _ result: DownloadResult, _ file: PartialFile) {
        files.complete(file, of: task)
        input {
            $0.finished(task: task, byteCount: result.byteCount, path: file.path)
        }
    }

    // MARK: Resume data

    func adopt(_ resumeData: Data, _ task: TaskRecord) {
        LoopActor.task { [self] in
            let result = await adoption(of: resumeData, for: task)
            input { $0.adopted(task, result) }
        }
    }

    /// Returns the queue for the files of a task's application.
    func queue(of task: TaskRecord) -> BlockingQueue {
        applicationQueues.queue(
            of: driver.change { $0.application(ofSession: task.sessionID) }
        )
    }

    private func adoption(
        of resumeData: Data,
        for task: TaskRecord
    ) async -> Result<Checkpoint, TransferError> {
        do throws(TransferError) {
            return .success(try await files.adopt(resumeData, for: task.id, on: queue(of: task)))
        } catch {
            return .failure(error)
        }
    }

    func makeResumeData(of task: TaskRecord, _ ending: DaemonStateMachine.Ending) {
        let state = task.checkpoint?.value
        let unused = state?.resumeData
        guard unused != nil || files.hasPlace(task.id) else {
            let result = resumeData(of: task, state?.checkpoint)
            input { $0.madeResumeData(result, of: task, ending) }
            return
        }
        LoopActor.task { [self] in
            let result =
                if let unused {
                    await resumeData(of: task, from: unused)
                } else {
                    await resumeDataOfPlace(of: task, state?.checkpoint)
                }
            input { $0.madeResumeData(result, of: task, ending) }
        }
    }

    /// Makes resume data of a task that has not used the data it was made from.
    private func resumeData(
        of task: TaskRecord,
        from unused: Data
    ) async -> Result<Data, ResumeData.Unavailable> {
        switch await adoption(of: unused, for: task) {
        case .success(let checkpoint):
            return resumeData(of: task, checkpoint)
        case .failure(let error):
            // Resume data that could not be taken over still represents the bytes.
            let isSpoilt = error.spoilsResumeData
            return resumeData(of: task, nil).flatMapError { _ in
                isSpoilt ? .failure(.bytesLost) : .success(unused)
            }
        }
    }

    /// Makes resume data of a task whose file has its own place.
    private func resumeDataOfPlace(
        of task: TaskRecord,
        _ checkpoint: Checkpoint?
    ) async -> Result<Data, ResumeData.Unavailable> {
        do throws(TransferError) {
            try await files.findFile(of: task.id, on: queue(of: task))
        } catch {
            log.write(.warning, error.message, task: task.id)
            return .failure(.bytesLost)
        }
        return resumeData(of: task, checkpoint)
    }

    private func resumeData(
        of task: TaskRecord,
        _ checkpoint: Checkpoint?
    ) -> Result<Data, ResumeData.Unavailable> {
        Result { () throws(ResumeData.Unavailable) in
            guard let request = task.requestToSend else { throw .requestNotResumable }
            return try files.makeResumeData(
                task: task.id,
                request: task.request(request),
                currentURL: task.currentRequest?.value?.url,
                checkpoint: checkpoint
            )
        }
    }

    // MARK: Applications

    func launch(_ application: ApplicationID, _ launch: Wire.Launch, session: String) {
        // A start that hangs occupies a thread, and repeated starts would all take effect together.
        guard starts[application] != launch else {
            let text = "the previous start has not completed yet"
            return input { $0.launched(application, error: text) }
        }
        starts[application] = launch
        var environment = launch.environment
        environment[LaunchEnvironment.backgroundSession] = session
        var attributes = options.applicationAttributes
        if let mask = launch.fileModeMask.flatMap({ UInt32(exactly: $0) }) {
            attributes?.fileModeMask = mask & 0o777
        }
        let program = ProcessLaunch(
            executable: launch.executable,
            arguments: launch.arguments,
            environment: environment,
            directory: launch.directory,
            inNewSession: true,
            attributes: attributes
        )
        let queue = applicationQueues.queue(of: application)
        LoopActor.task { [self, program] in
            do throws(SystemCallError) {
                let process: Int32
                do throws(SystemCallError) {
                    process = try await Self.start(program, on: queue)
                } catch let error where error.call == "chdir" {
                    // The directory or its disk is missing; the application's events matter more.
                    log.write(.warning, "an application is started in / instead: \(error)")
                    var program = program
                    program.directory = "/"
                    process = try await Self.start(program, on: queue)
                }
                if starts[application] == launch { starts[application] = nil }
                children[application] = try child(of: application, process)
                input { $0.launched(application, error: nil) }
            } catch {
                if starts[application] == launch { starts[application] = nil }
                let text = "\(error)"
                input { $0.launched(application, error: text) }
            }
        }
    }

    /// Starts a program off the loop: its file and its directory may be on a disk that does not respond, and the call
    /// returns only when the program runs.
    private static func start(
        _ program: ProcessLaunch,
        on queue: BlockingQueue
    ) async throws(SystemCallError) -> Int32 {
        try await queue.run { () throws(SystemCallError) in try program.start() }
    }

    private func child(
        of application: ApplicationID,
        _ process: Int32
    ) throws(SystemCallError) -> ChildProcess {
        try ChildProcess(started: process) { [weak self] exit in
            self?.children[application] = nil
            self?.input {
                $0.applicationExited(application, status: "\(exit)")
            }
        }
    }
}

extension TransferError {
    /// Whether the error means that the resume data can never be used.
    fileprivate var spoilsResumeData: Bool { code == .fileMissing || code == .resumeDataInvalid }
}
