import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension Daemon {
    /// Creates an upload of a file that a client passes.
    func createUpload(_ call: MethodCall<Wire.CreateUpload>) {
        let passed = call.reply.takeFile()
        let application = driver.change { $0.application(ofSession: call.parameters.sessionID) }
        let queue = applicationQueues.queue(of: application)
        let file = passed.map { ArrivingFile(file: $0.file, queue: queue) }
        decide(call, file: file) { machine, create, caller in
            do throws(SystemCallError) {
                machine.createUpload(create, of: try passed?.identity.get(), from: caller)
            } catch {
                machine.refuseUpload(after: error, from: caller)
            }
        } answering: { answer in
            answer.createdTask.map { Wire.CreateUpload.Reply(id: $0.rawValue) }
        }
    }

    /// Secures the file that a client has passed, so that it can be sent whatever happens to it.
    func secure(_ upload: UploadState, of task: TaskID, for call: CallID) {
        let file = calls[call]?.takeFile()
        LoopActor.task { [self] in
            var secured: UploadState?
            if let (file, queue) = file.map({ ($0.file, $0.queue) }) {
                secured = await files.uploads.secure(file, upload, for: task, on: queue)
            }
            let place = secured == nil ? "the file must stay as it is" : "the file is kept"
            log.write(.info, "upload of \(upload.byteCount) bytes, \(place)", task: task)
            input { $0.secured(task: task, secured, for: call) }
        }
    }

    func makeUpload(
        _ start: DaemonStateMachine.TransferStart,
        _ request: Wire.Request,
        _ state: UploadState,
        _ setup: ConnectionSetup
    ) throws(TransferError) -> Upload {
        let task = start.task
        let source = files.uploads.source(of: task.id, state, on: queue(of: task))
        return Upload(
            name: "task \(task.id)",
            request: task.transferRequest(request, adding: start.additionalFields),
            source: source,
            fileName: state.path.split(separator: "/").last.map { String($0) } ?? state.path,
            answer: files.file(of: task.id),
            resource: task.uploadResource,
            memory: uploadMemory,
            client: try client(for: start, setup),
            configuration: Upload.Configuration(
                synchronizer: files.synchronizer,
                protocols: start.options?.uploadProtocols ?? .automatic,
                unavailableResponses: unavailableResponses(to: start),
                load: loadConfiguration(for: start)
            ),
            challenges: challenges(of: task, setup),
            events: uploadEvents(of: task.id)
        )
    }

    /// Asks a server to delete an upload that its application has cancelled; the result is ignored.
    func terminate(_ task: TaskRecord, _ resource: UploadResource) {
        guard let request = task.requestToSend else { return }
        let configuration = machine.configuration(ofSession: task.sessionID)
        let fields = configuration?.additionalFields ?? []
        let creation = task.transferRequest(request, adding: fields)
        let connections = configuration.map { machine.connections(of: $0) } ?? Wire.Connections()
        connectionFiles.read(
            connections,
            ofSession: task.sessionID,
            createdAt: task.createdAt,
            at: now
        ) { [clients] setup in
            guard let setup = try? setup.get(),
                let client = try? clients.client(for: task.sessionID, decides: false, setup)
            else { return }
            let own = setup.identity.flatMap { OwnIdentity($0, meantFor: task.ownURL) }
            UploadTermination.request(resource, of: creation, as: own, by: client)
        }
    }

    private func uploadEvents(of task: TaskID) -> Upload.Events {
        Upload.Events(
            sent: { [weak self] byteCount in
                self?.input {
                    $0.sent(task: task, byteCount: byteCount)
                }
            },
            moved: { [weak self] resource in
                self?.input { $0.moved(task: task, to: resource) }
            },
            responded: { [weak self] head, request in
                self?.responded(task, head, request)
            },
            received: { [weak self] received, total in
                self?.input {
                    $0.progressed(task: task, received: received, expected: total)
                }
            },
            collected: { [weak self] in self?.collected($0, task) },
            finished: { [weak self] result in
                guard let self else { return }
                let path = files.path(of: task)
                input {
                    $0.finished(
                        task: task,
                        byteCount: result.receivedByteCount,
                        path: path
                    )
                }
            },
            failed: { [weak self] error in
                self?.input { $0.failed(task: task, error) }
            }
        )
    }
}
