import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// A download task of a default or ephemeral session, on the event loop.
///
/// It owns the file and, while it has a connection, the ``Download``; a task that is suspended or waits
/// has neither open.
@LoopActor
final class InProcessDownload: InProcessTransfer {
    let task: URLSessionDownloadTask
    nonisolated let identifier: Int
    let host: String
    /// Where the task stands in line, if it does.
    var place: WaitingLine.Place?
    /// What the task's own requests are sent with.
    private(set) var ownClient: HTTPClient?
    var client: HTTPClient? { share?.client ?? ownClient }

    let order: DownloadOrder
    let engine: InProcessEngine
    let decider: TaskDecider
    /// The load that equal downloads share.
    var share: DownloadShare?
    /// Whether the shared load is this download's.
    var isFirst = false
    /// Whether the task makes requests of its own only.
    private(set) var isAlone = false
    private(set) var checkpoint: Checkpoint?
    private var machine: StateMachine
    private var file: PartialFile?
    private var download: Download?
    private var clock: ResourceClock
    private let gate: ConnectivityGate

    init(task: URLSessionDownloadTask, order: DownloadOrder, engine: InProcessEngine) {
        self.task = task
        self.order = order
        self.engine = engine
        identifier = task.taskIdentifier
        decider = TaskDecider(task: task, engine: engine)
        gate = decider.makeGate(for: URL(string: order.request.url))
        let url = order.resumption?.resumeData.currentURL ?? order.request.url
        host = Origin(url: url)?.description ?? url
        machine = StateMachine(isAdopting: order.resumption != nil)
        clock = ResourceClock(seconds: engine.configuration.timeoutIntervalForResource)
        checkpoint = order.resumption?.resumeData.checkpoint
    }

    var priority: Float { task.priority }

    // MARK: - Inputs

    func resume() { run(machine.resume(isJoining: machine.isIdle && joinShare())) }

    func suspend() { run(machine.suspend()) }

    func cancel(producingResumeData: Bool) {
        let error = TransferError(code: .cancelled, message: "The task was cancelled.")
        run(machine.cancel(error, producingResumeData: producingResumeData))
    }

    func admitted() { run(machine.admitted()) }

    /// The load that was shared with other tasks is not for this one.
    func released() {
        share = nil
        isAlone = true
        run(machine.released())
    }

    /// The download that had the shared load's connection has left it to this one.
    func inheritConnection() { machine.inheritConnection() }

    /// Takes over the file that resume data names, which is spent by this.
    func adopt(_ resumption: DownloadOrder.Resumption) async {
        do throws(TransferError) {
            file = try await PartialFile.adopt(
                resumption.resumeData,
                into: try DownloadDirectory.open(),
                as: DownloadDirectory.partialName(),
                on: DownloadDirectory.queue
            )
            run(machine.adopted(nil))
        } catch {
            run(machine.adopted(error))
        }
    }

    // MARK: - Effects

    private func run(_ effects: [StateMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .enterLine: engine.enterLine(self)
            case .leaveLine: leaveLine()
            case .start: gate.pass { [weak self] in self?.start() }
            case .stop: stop()
            case .giveConnectionBack: giveConnectionBack()
            case .startClock: clock.start { [weak self] in self?.timeRanOut() }
            case .stopClock: clock.stop()
            case .publish(let result): publish(result)
            case .fail(let error, let keepsFile): fail(error, keepsFile: keepsFile)
            }
        }
    }

    private func start() {
        do throws(TransferError) {
            let file = try openFile()
            let client = try engine.makeClient()
            ownClient = client
            let download = Download(
                name: "task \(task.taskIdentifier)",
                request: order.request,
                file: file,
                checkpoint: checkpoint,
                client: client,
                configuration: Download.Configuration(
                    announcesResumption: task.storage.withLock { $0.owesResumption },
                    segments: engine.configuration.segments,
                    load: Load.Configuration(
                        asksForTrust: decider.challenges.mayDecideOnCertificates
                    )
                ),
                decider: decider,
                connections: engine,
                sharing: sharing,
                events: events
            )
            self.download = download
            download.start()
        } catch {
            run(machine.failed(error))
        }
    }

    private func openFile() throws(TransferError) -> PartialFile {
        if let file { return file }
        let file = PartialFile(
            directory: try DownloadDirectory.open(),
            name: DownloadDirectory.partialName(),
            // A process that dies takes its tasks along, and with them the way to this file.
            recordKeeping: .onDemand
        )
        self.file = file
        return file
    }

    private func leaveLine() {
        engine.leaveLine(self)
        leaveShare()
    }

    private func stop() {
        gate.cancel()
        leaveShare()
        download?.cancel()
        checkpoint = download?.checkpoint
    }

    private func timeRanOut() {
        let seconds = engine.configuration.timeoutIntervalForResource
        run(
            machine.timeRanOut(
                TransferError(
                    code: .resourceTimedOut,
                    message: "The task was not done after \(seconds) seconds."
                )
            )
        )
    }

    private func publish(_ result: DownloadResult) {
        do throws(TransferError) {
            guard let file else {
                throw TransferError(code: .internalFailure, message: "a download without file")
            }
            let location = try DownloadDirectory.publish(file)
            task.noteFile(location, byteCount: result.byteCount)
            decider.deliverMetrics(hasFailed: false)
            task.deliver(.completed(error: nil))
        } catch {
            report(error, resumeData: nil)
        }
        end()
    }

    private func fail(_ error: TransferError, keepsFile: Bool) {
        let resumeData = keepsFile ? makeResumeData() : nil
        if resumeData == nil {
            // A file that cannot be removed is swept up later.
            try? file?.remove()
        } else {
            file?.close()
        }
        report(error, resumeData: resumeData)
        end()
    }

    private func end() {
        leaveShare()
        share = nil
        engine.ended(self)
    }

    private func report(_ error: TransferError, resumeData: Data?) {
        let url = task.storage.withLock { ($0.currentRequest ?? $0.originalRequest)?.url }
        decider.deliverMetrics(hasFailed: true)
        task.deliver(.completed(error: URLError(error, url: url, resumeData: resumeData)))
    }

    /// What the app can continue from; nil when it cannot.
    private func makeResumeData() -> Data? {
        guard let file else { return nil }
        do {
            if !file.isRecovered { try file.recover(checkpoint: checkpoint) }
            try file.storeRecord()
            let resumeData =
                try download?.resumeData() ?? ResumeData(request: order.request, file: file)
            return Data(try resumeData.encoded())
        } catch {
            // Which of the conditions it is that the download does not meet, there is no place to tell.
            return nil
        }
    }
}

// MARK: - Events of the download

extension InProcessDownload {
    private var events: Download.Events {
        Download.Events(
            responded: { [weak self] in self?.responded($0, $1) },
            resumed: { [task] in task.noteResumption(at: $0, of: $1) },
            progressed: { [task] in task.noteProgress($0, of: $1) },
            finished: { [weak self] in self?.finished($0) },
            failed: { [weak self] in self?.failed($0) }
        )
    }

    private func responded(_ head: HTTPResponseHead, _ request: TransferRequest) {
        task.noteResponse(head, to: request)
    }

    private func finished(_ result: DownloadResult) { run(machine.finished(result)) }

    private func failed(_ error: TransferError) {
        guard error.code == .notConnected, waitsForNetwork() else {
            return run(machine.failed(error))
        }
        checkpoint = download?.checkpoint
        leaveShare()
        share = nil
        isAlone = true
    }

    /// Goes on when there is a network again, if the session waits for one.
    private func waitsForNetwork() -> Bool {
        // Who has shared a load has no connection of its own, and gets in line for one.
        let isSharing = machine.isSharing
        return gate.passAfterChange { [weak self] in
            if isSharing { self?.released() } else { self?.start() }
        }
    }
}
