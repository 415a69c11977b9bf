import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// What a download task of a default or ephemeral session loads, on the event loop.
///
/// It owns the file and, while the task has a connection, the ``Download``; a task that is suspended or waits
/// has neither open.
@LoopActor
final class DownloadContent: InProcessTransfer.Content {
    let task: URLSessionDownloadTask
    weak var transfer: InProcessTransfer?
    let decider: TaskDecider
    private(set) var host: String
    private(set) var specification: DownloadTaskSpecification
    /// A number that distinguishes the resource's address from earlier ones.
    private var link: Int?
    private var linkQuestions = LinkQuestions()
    /// A number that distinguishes the latest question to the app from earlier ones.
    private var questionCount = 0
    /// The load that equal downloads share.
    private var share: DownloadShare?
    /// Whether this download makes the shared load.
    private var isFirst = false
    /// Whether the task makes requests of its own only.
    private var isAlone = false
    private var checkpoint: Checkpoint?
    private var file: PartialFile?
    private var download: Download?
    private var outcome: Result<DownloadResult, TransferError>?
    private var attempts = Attempts()
    private var latestHead: HTTPResponseHead?
    /// The response to the app's own request.
    private var response: HTTPResponseHead?

    init(
        _ specification: DownloadTaskSpecification,
        of task: URLSessionDownloadTask,
        decider: TaskDecider
    ) {
        self.task = task
        self.specification = specification
        self.decider = decider
        let url = specification.resumption?.resumeData.currentURL ?? specification.request.url
        host = Origin(url: url)?.description ?? url
        checkpoint = specification.resumption?.resumeData.checkpoint
        link = checkpoint?.version.link
    }

    private var engine: InProcessEngine { decider.engine }

    // MARK: - Loading

    /// Downloads never come from the cache.
    var mayNeedNoNetwork: Bool { false }

    /// A file can be continued at any time.
    var canBeInterrupted: Bool { true }

    /// Takes over the file that resume data names; the resume data cannot be used again.
    func adopt(_ resumption: DownloadTaskSpecification.Resumption) async {
        do throws(TransferError) {
            file = try await PartialFile.adopt(
                resumption.resumeData,
                into: try DownloadDirectory.open(),
                as: DownloadDirectory.partialName(),
                on: AppFiles.queue
            )
            transfer?.prepared(isUsable: true)
        } catch {
            outcome = .failure(error)
            transfer?.prepared(isUsable: false)
        }
    }

    func load() {
        do throws(TransferError) {
            let file = try openFile()
            let client = try engine.makeClient()
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
                    maximumByteCount: options.maximumFileSize.map { max($0, 1) },
                    digests: options.digests,
                    announcesResumption: task.storage.withLock { $0.owesResumption },
                    earlierResponse: response,
                    segments: options.segmentPolicy(engine.configuration.segments),
                    mirrors: options.mirrorAddresses,
                    load: options.load(
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
            end(with: .failure(error))
        }
    }

    private func openFile() throws(TransferError) -> PartialFile {
        if let file { return file }
        let file = DownloadDirectory.makeFile(in: try engine.downloadDirectory())
        self.file = file
        return file
    }

    /// A file can be continued at any time.
    func leave(isSharing: Bool) -> Bool { true }

    /// Does nothing: a task that is suspended does not load.
    func updateFlow() {}

    /// Does nothing: a file takes all bytes.
    func appCaughtUp() {}

    func stop() {
        questionCount += 1
        leaveShare()
        guard let download else { return }
        download.cancel()
        checkpoint = download.checkpoint
    }

    /// Separates the task from the shared load, with the bytes that it has.
    func continueAlone() {
        if let download { checkpoint = download.checkpoint }
        leaveShare()
        share = nil
        isAlone = true
    }

    // MARK: - The end

    private func end(with outcome: Result<DownloadResult, TransferError>) {
        self.outcome = outcome
        transfer?.finished()
    }

    /// Does nothing: servers keep nothing of a download.
    func discard() {}

    func end(_ ending: InProcessTransfer.Ending) {
        switch ending {
        case .content: endContent()
        case .cancelled(let producingResumeData):
            let error = TransferError(code: .cancelled, message: "The task was cancelled.")
            fail(error, keepsFile: producingResumeData)
        case .timedOut:
            let seconds = engine.configuration.timeoutIntervalForResource
            let message = "The task was not done after \(seconds) seconds."
            fail(TransferError(code: .resourceTimedOut, message: message), keepsFile: true)
        case .networkForbidden(let met):
            let reason = URLError.NetworkUnavailableReason(met)
            let error = TransferError(code: .notConnected, message: reason.explanation)
            fail(error, keepsFile: true, for: reason)
        }
        leaveShare()
        share = nil
    }

    private func endContent() {
        switch outcome {
        case .success(let result): publish(result)
        // Resume data whose file could not be taken over are of no more use.
        case .failure(let error):
            fail(error, keepsFile: specification.resumption == nil || file != nil)
        case nil: break
        }
    }

    private func publish(_ result: DownloadResult) {
        do throws(TransferError) {
            guard let file else {
                throw TransferError(code: .internalFailure, message: "a download without file")
            }
            let path = try DownloadDirectory.publish(file)
            task.recordFile(FinishedFile(path: path), byteCount: result.byteCount)
            decider.deliverEnd(nil)
        } catch {
            report(error, resumeData: nil)
        }
    }

    private func fail(
        _ error: TransferError,
        keepsFile: Bool,
        for reason: URLError.NetworkUnavailableReason? = nil
    ) {
        let resumeData = keepsFile ? makeResumeData() : nil
        if case .success? = resumeData {
            file?.close()
        } else {
            // A file that cannot be removed is removed by a later sweep.
            try? file?.remove()
        }
        report(error, resumeData: resumeData, for: reason)
    }

    private func report(
        _ error: TransferError,
        resumeData: Result<Data, ResumeData.Unavailable>?,
        for reason: URLError.NetworkUnavailableReason? = nil
    ) {
        let url = task.storage.withLock { ($0.currentRequest ?? $0.originalRequest)?.url }
        let told = URLError(error, url: url, resumeData: try? resumeData?.get())
        decider.deliverEnd(told.adding(resumeData?.failure).adding(reason))
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

extension DownloadContent {
    private var events: Download.Events {
        Download.Events(
            responded: { [weak self] in self?.responded($0, $1) },
            resumed: { [task] in task.recordResumption(at: $0, of: $1) },
            progressed: { [weak self] in self?.progressed($0, of: $1, coded: $2) },
            finished: { [weak self] in self?.finished($0) },
            failed: { [weak self] in self?.failed($0) }
        )
    }

    private func responded(_ head: HTTPResponseHead, _ request: TransferRequest) {
        latestHead = head
        attempts.responded()
        if head.status < 300 { response = head }
        task.recordResponse(LatestResponse(head), to: request)
    }

    private func progressed(_ received: Int64, of total: Int64?, coded: CodedProgress?) {
        attempts.progressed(to: received)
        task.recordProgress(received, of: total, coded: coded)
    }

    private func finished(_ result: DownloadResult) { end(with: .success(result)) }

    private func failed(_ error: TransferError) {
        if error.code == .linkExpired, !linkStatuses.isEmpty {
            transfer?.linkExpired()
            return
        }
        if error.code == .notConnected, transfer?.waitsForNetwork() == true { return }
        if let delay = attempts.delay(after: error, by: task.transferOptions) {
            transfer?.retries(after: delay)
        } else {
            end(with: .failure(error))
        }
    }

    // MARK: - Expired addresses

    private var linkStatuses: Set<Int> {
        engine.configuration.replacesExpiredLinks && !linkQuestions.isExhausted
            ? Download.expiredLinkStatuses : []
    }

    /// Continues with another address, which the app has given without being asked.
    func relink(to request: TransferRequest) {
        linkQuestions.renew()
        proceed(with: request)
    }

    private func proceed(with request: TransferRequest) {
        specification.request = request
        link = .random(in: 1 ... .max)
        task.recordRequest(request)
        transfer?.relinks { host = Origin(url: request.url)?.description ?? request.url }
    }

    func askForLink() {
        continueAlone()
        guard linkQuestions.expired(receivedByteCount: task.countOfBytesReceived) else {
            transfer?.keepsLink()
            return
        }
        questionCount += 1
        let question = questionCount
        task.askForLink(after: latestHead, configuration: engine.configuration) { [weak self] in
            guard let self, question == questionCount else { return }
            guard let request = $0 else {
                linkQuestions.decline()
                transfer?.keepsLink()
                return
            }
            linkQuestions.replaced()
            proceed(with: request)
        }
    }
}

/// The sharing of equal downloads that run at the same time.
extension DownloadContent {
    func join() -> Bool {
        share = nil
        isFirst = false
        guard mayShare, decider.allowsSharing, let original = task.originalRequest,
            let identity = RequestIdentity(
                specification.request,
                of: original,
                configuration: engine.configuration,
                isDownload: true
            )
        else { return false }
        let (share, isNew) = engine.sharedRequest(for: identity) {
            DownloadShare(first: self, close: $0)
        }
        self.share = share
        isFirst = isNew
        return !isNew
    }

    /// A download with bytes continues from them; a task with a delegate of its own makes its own requests.
    private var mayShare: Bool {
        specification.resumption == nil && checkpoint == nil && !isAlone
            && task.storage.withLock { $0.delegate == nil }
    }

    /// Makes the source of the response, shared with other downloads if there are any.
    private var sharing: Download.Sharing? {
        guard let share else { return nil }
        return { [self] receiver, makeLoad in
            DownloadShare.Part(
                of: share,
                for: self,
                receiver: receiver,
                makeLoad: isFirst ? makeLoad : nil
            )
        }
    }

    /// Releases the other downloads if they waited for this one.
    private func leaveShare() {
        if isFirst { share?.firstLeaves() }
        isFirst = false
    }

    /// The task that still wants the response of the shared load.
    var heir: InProcessTransfer? { share?.heir?.transfer }
}
