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
    private(set) var host: String
    /// Where the task stands in line, if it does.
    var place: WaitingLine.Place?
    /// The client that sends the task's own requests.
    private(set) var ownClient: HTTPClient?
    var client: HTTPClient? { share?.client ?? ownClient }

    private(set) var specification: DownloadTaskSpecification
    /// A number that distinguishes the resource's address from earlier ones.
    private var link: Int?
    private var linkPatience = LinkPatience()
    /// A number that distinguishes the latest question to the app from earlier ones.
    private var questionCount = 0
    let engine: InProcessEngine
    let decider: TaskDecider
    /// The load that equal downloads share.
    var share: DownloadShare?
    /// Whether this download makes the shared load.
    var isFirst = false
    /// Whether the task makes requests of its own only.
    private(set) var isAlone = false
    private(set) var checkpoint: Checkpoint?
    private var machine: StateMachine
    private var file: PartialFile?
    private var download: Download?
    private var clock: ResourceClock
    private let gate: ConnectivityGate
    private var attempts = Attempts()
    private var latestHead: HTTPResponseHead?
    /// The response to the app's own request.
    private var response: HTTPResponseHead?
    /// The timer for the next attempt.
    private var retryTimer: LoopTimer?

    init(
        task: URLSessionDownloadTask,
        specification: DownloadTaskSpecification,
        engine: InProcessEngine
    ) {
        self.task = task
        self.specification = specification
        self.engine = engine
        identifier = task.taskIdentifier
        decider = TaskDecider(task: task, engine: engine)
        gate = decider.makeGate(for: URL(string: specification.request.url))
        let url = specification.resumption?.resumeData.currentURL ?? specification.request.url
        host = Origin(url: url)?.description ?? url
        machine = StateMachine(isAdopting: specification.resumption != nil)
        clock = ResourceClock(seconds: engine.configuration.timeoutIntervalForResource)
        checkpoint = specification.resumption?.resumeData.checkpoint
        link = checkpoint?.version.link
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

    /// The load shared with other tasks is no longer this task's.
    func released() {
        share = nil
        isAlone = true
        run(machine.released())
    }

    /// Takes over the shared load's connection from the download that had it.
    func inheritConnection() { machine.inheritConnection() }

    /// Takes over the file that resume data names; the resume data cannot be used again.
    func adopt(_ resumption: DownloadTaskSpecification.Resumption) async {
        do throws(TransferError) {
            file = try await PartialFile.adopt(
                resumption.resumeData,
                into: try DownloadDirectory.open(),
                as: DownloadDirectory.partialName(),
                on: AppFiles.queue
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
            case .backOff(let delay): backOff(delay)
            case .endBackOff: endBackOff()
            case .askForLink: askForLink()
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
            let options = task.transferOptions
            let download = Download(
                name: "task \(task.taskIdentifier)",
                request: specification.request,
                file: file,
                checkpoint: checkpoint,
                client: client,
                configuration: Download.Configuration(
                    unavailableResponses: attempts.unavailableResponses(by: options.retry),
                    retriedStatuses: options.retry?.statuses,
                    refusesErrorResponses: !options.deliversErrorResponses,
                    link: link,
                    linkStatuses: linkStatuses,
                    digests: options.digests,
                    announcesResumption: task.storage.withLock { $0.owesResumption },
                    earlierResponse: response,
                    segments: options.segmentPolicy(engine.configuration.segments),
                    mirrors: options.mirrorAddresses,
                    load: Load.Configuration(
                        asksForTrust: decider.challenges.mayDecideOnCertificates,
                        rates: decider.rates
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
            // If the process dies, so do its tasks, and nothing refers to this file.
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
            decider.deliverEnd(nil)
        } catch {
            report(error, resumeData: nil)
        }
        end()
    }

    private func fail(_ error: TransferError, keepsFile: Bool) {
        let resumeData = keepsFile ? makeResumeData() : nil
        if case .success? = resumeData {
            file?.close()
        } else {
            // A file that cannot be removed is removed by a later sweep.
            try? file?.remove()
        }
        report(error, resumeData: resumeData)
        end()
    }

    private func end() {
        leaveShare()
        share = nil
        engine.ended(self)
    }

    private func report(
        _ error: TransferError,
        resumeData: Result<Data, ResumeData.Unavailable>?
    ) {
        let url = task.storage.withLock { ($0.currentRequest ?? $0.originalRequest)?.url }
        let told = URLError(error, url: url, resumeData: try? resumeData?.get())
        decider.deliverEnd(told.adding(resumeData?.failure))
    }

    /// Returns the data from which the app can resume, or the reason why it cannot.
    private func makeResumeData() -> Result<Data, ResumeData.Unavailable> {
        guard let file else { return .failure(.nothingReceived) }
        do {
            if !file.isRecovered { try file.recover(checkpoint: checkpoint) }
            let resumeData =
                try download?.resumeData() ?? ResumeData(request: specification.request, file: file)
            try file.storeRecord()
            return .success(Data(try resumeData.encoded()))
        } catch {
            return .failure(error as? ResumeData.Unavailable ?? .bytesLost)
        }
    }
}

// MARK: - Events of the download

extension InProcessDownload {
    private var events: Download.Events {
        Download.Events(
            responded: { [weak self] in self?.responded($0, $1) },
            resumed: { [task] in task.noteResumption(at: $0, of: $1) },
            progressed: { [weak self] in self?.progressed($0, of: $1) },
            finished: { [weak self] in self?.finished($0) },
            failed: { [weak self] in self?.failed($0) }
        )
    }

    private func responded(_ head: HTTPResponseHead, _ request: TransferRequest) {
        latestHead = head
        attempts.responded()
        if head.status < 300 { response = head }
        task.noteResponse(head, to: request)
    }

    private func progressed(_ received: Int64, of total: Int64?) {
        attempts.progressed(to: received)
        task.noteProgress(received, of: total)
    }

    private func finished(_ result: DownloadResult) { run(machine.finished(result)) }

    private func failed(_ error: TransferError) {
        if error.code == .linkExpired { return run(machine.linkExpired()) }
        guard error.code == .notConnected, waitsForNetwork() else {
            let delay = attempts.delay(after: error, by: task.transferOptions.retry)
            return run(machine.failed(error, retriesAfter: delay))
        }
        continueAlone()
    }

    /// Separates the task from the shared load, with the bytes that it has.
    private func continueAlone() {
        checkpoint = download?.checkpoint
        leaveShare()
        share = nil
        isAlone = true
    }

    private func backOff(_ delay: Duration) {
        continueAlone()
        retryTimer = EventLoop.shared.schedule(after: delay) { [weak self] in
            guard let self else { return }
            run(machine.retryTimePassed())
        }
    }

    private func endBackOff() {
        retryTimer?.cancel()
        questionCount += 1
    }

    // MARK: - Expired addresses

    private var linkStatuses: Set<Int> {
        engine.configuration.replacesExpiredLinks && !linkPatience.isExhausted
            ? Download.expiredLinkStatuses : []
    }

    /// Continues with another address, which the app has given without being asked.
    func relink(to request: TransferRequest) {
        linkPatience.renew()
        goOn(with: request)
    }

    private func goOn(with request: TransferRequest) {
        specification.request = request
        link = .random(in: 1 ... .max)
        task.noteRequest(request)
        run(machine.leaveForLink())
        host = Origin(url: request.url)?.description ?? request.url
        continueAlone()
        run(machine.relinked())
    }

    private func askForLink() {
        continueAlone()
        guard linkPatience.expired(receivedByteCount: task.countOfBytesReceived) else {
            return run(machine.retryTimePassed())
        }
        questionCount += 1
        let question = questionCount
        task.askForLink(after: latestHead, configuration: engine.configuration) { [weak self] in
            guard let self, question == questionCount else { return }
            guard let request = $0 else {
                linkPatience.decline()
                return run(machine.retryTimePassed())
            }
            linkPatience.replaced()
            goOn(with: request)
        }
    }

    /// Continues when the network is available again, if the session waits for it.
    private func waitsForNetwork() -> Bool {
        // A download that shares a load has no connection of its own, and enters the line for one.
        let isSharing = machine.isSharing
        return gate.passAfterChange { [weak self] in
            if isSharing { self?.released() } else { self?.start() }
        }
    }
}
