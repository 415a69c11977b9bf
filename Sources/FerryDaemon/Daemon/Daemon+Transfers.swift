import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension Daemon {
    // MARK: Starting and stopping

    func startTransfer(_ start: DaemonStateMachine.TransferStart) {
        let task = start.task
        guard let request = Stored.request(task.request) else {
            let error = TransferError(
                code: .internalFailure,
                message: "the request of task \(task.id) cannot be read"
            )
            perform(machine.failed(task: task.id, error, at: Date()))
            return
        }
        let state = ByteState.decode(task.checkpoint)
        if let failure = state?.failure {
            perform(machine.failed(task: task.id, failure, at: Date()))
            return
        }
        let download = Download(
            name: "task \(task.id)",
            request: TransferRequest(request, adding: start.additionalFields),
            file: files.file(of: task.id),
            checkpoint: state?.checkpoint,
            client: client,
            configuration: Download.Configuration(
                synchronization: .everySecond(files.queue),
                unavailableResponses: options.policy.retry.unavailableResponses(
                    after: AttemptFailure.decode(task.lastError)?.unavailableCount ?? 0
                ),
                announcesResumption: state?.isFromResumeData ?? false
            ),
            events: events(of: task.id)
        )
        transfers[task.id] = download
        log.write(.info, "attempt \(task.attempts + 1) starts", task: task.id)
        download.start()
    }

    private func events(of task: Int64) -> Download.Events {
        Download.Events(
            responded: { [weak self] head, request in
                self?.responded(task, head, request)
            },
            resumed: { [weak self] offset, total in
                self?.input { machine, now in
                    machine.resumed(task: task, offset: offset, expected: total, at: now)
                }
            },
            restarted: { [weak self] reason in
                self?.log.write(.notice, "starts over: \(reason)", task: task)
            },
            progressed: { [weak self] received, total in
                self?.input { machine, now in
                    machine.progressed(task: task, received: received, expected: total, at: now)
                }
            },
            checkpointed: { [weak self] checkpoint in
                self?.input { machine, _ in
                    machine.checkpointed(task: task, ByteState(checkpoint: checkpoint).encoded)
                }
            },
            finished: { [weak self] result in
                self?.finished(task, result)
            },
            failed: { [weak self] error in
                self?.input { machine, now in machine.failed(task: task, error, at: now) }
            }
        )
    }

    /// Gives the machine an input and performs what it asks for.
    private func input(
        _ body: (inout DaemonStateMachine, Date) -> [DaemonStateMachine.Effect]
    ) {
        perform(body(&machine, Date()))
    }

    private func responded(_ task: Int64, _ head: HTTPResponseHead, _ request: TransferRequest) {
        log.write(.info, "the server answers \(head.status)", task: task)
        input { machine, now in
            machine.responded(
                task: task,
                response: Wire.Response(head),
                request: Wire.Request(request),
                at: now
            )
        }
    }

    private func finished(_ task: Int64, _ result: DownloadResult) {
        let path = files.path(of: task)
        input { machine, now in
            machine.finished(task: task, byteCount: result.byteCount, path: path, at: now)
        }
    }

    // MARK: Resume data

    func adopt(
        _ resumeData: Data,
        _ task: TaskRecord,
        _ call: DaemonStateMachine.CallIdentifier
    ) {
        let key = TaskKey.identifier(session: task.sessionID, task.identifier)
        adoptions[key] = []
        LoopActor.task { [self] in
            var task = task
            do throws(TransferError) {
                let checkpoint = try await files.adopt(resumeData, for: task.id)
                task.receivedByteCount = checkpoint.writtenByteCount
                task.expectedByteCount = checkpoint.totalByteCount
                task.checkpoint =
                    ByteState(checkpoint: checkpoint, isFromResumeData: true).encoded
            } catch {
                // The task fails when it is resumed, not when it is made (RD-9, RD-10).
                log.write(.warning, error.message, task: task.id)
                task.checkpoint = ByteState(failure: error).encoded
            }
            perform(machine.adopted(task, call: call))
            // The task is on its way into the store, which keeps the order from here on.
            for call in adoptions.removeValue(forKey: key) ?? [] { call() }
        }
    }

    func makeResumeData(of task: TaskRecord, _ ending: DaemonStateMachine.Ending) {
        let data = Stored.request(task.request).flatMap { request in
            files.makeResumeData(
                task: task.id,
                request: TransferRequest(request),
                currentURL: task.currentRequest.flatMap { Stored.request($0)?.url },
                checkpoint: ByteState.decode(task.checkpoint)?.checkpoint
            )
        }
        perform(machine.madeResumeData(data, of: task, ending, at: Date()))
    }

    // MARK: Applications

    func launch(_ application: Int64, _ launch: LaunchRecord, session: String) {
        var environment = launch.environment
        environment[LaunchEnvironment.backgroundSession] = session
        var program = ProcessLaunch(
            executable: launch.executable,
            arguments: launch.arguments,
            environment: environment,
            directory: launch.directory,
            inNewSession: true,
            attributes: options.applicationAttributes
        )
        do throws(SystemCallError) {
            do throws(SystemCallError) {
                children[application] = try child(of: application, program)
            } catch let error where error.call == "chdir" {
                // The directory has gone, or its disk; the application's events matter more.
                log.write(.warning, "an application is started in / instead: \(error)")
                program.directory = "/"
                children[application] = try child(of: application, program)
            }
            input { machine, now in machine.launched(application, error: nil, at: now) }
        } catch {
            let text = "\(error)"
            input { machine, now in machine.launched(application, error: text, at: now) }
        }
    }

    private func child(
        of application: Int64,
        _ program: ProcessLaunch
    ) throws(SystemCallError) -> ChildProcess {
        try ChildProcess(program) { [weak self] exit in
            self?.children[application] = nil
            self?.input { machine, now in
                machine.applicationExited(application, status: "\(exit)", at: now)
            }
        }
    }
}
