import FerryHTTP
import FerrySystem

@testable import FerryTransfer

/// A download whose events are kept for its test.
@LoopActor
final class DownloadProbe {
    enum Event: Equatable {
        case responded(Int)
        case resumed(Int64, Int64?)
        case restarted
        case progressed(Int64, Int64?)
        case checkpointed(Int64)
        case finished
        case failed(TransferError.Code)

        var isProgress: Bool { if case .progressed = self { true } else { false } }
        func isProgress(to count: Int64) -> Bool {
            if case .progressed(count, _) = self { true } else { false }
        }

        var isCheckpoint: Bool { if case .checkpointed = self { true } else { false } }
    }

    enum Outcome {
        case finished(DownloadResult)
        case failed(TransferError)
    }

    /// Everything that was reported, in order.
    private(set) var events: [Event] = []
    /// How much of a decoded body had arrived at each progress.
    private(set) var coded: [CodedProgress?] = []
    private(set) var outcome: Outcome?
    private(set) var response: HTTPResponseHead?
    private(set) var currentRequest: TransferRequest?
    private(set) var restartReasons: [String] = []
    /// What to do at an event, such as to cancel.
    var onEvent: ((Event) -> Void)?
    private var download: Download?
    private var waiters: [((DownloadProbe) -> Bool, CheckedContinuation<Void, Never>)] = []

    init(
        _ request: TransferRequest,
        _ file: PartialFile,
        checkpoint: Checkpoint? = nil,
        client: HTTPClient,
        _ configuration: Download.Configuration = Download.Configuration(),
        connections: (any ConnectionLender)? = nil,
        decider: (any LoadDecider)? = nil
    ) {
        let download = Download(
            name: "test",
            request: request,
            file: file,
            checkpoint: checkpoint,
            client: client,
            configuration: configuration,
            decider: decider,
            connections: connections,
            events: receivers
        )
        self.download = download
        download.start()
    }

    /// The events without those whose number is the network's choice.
    var story: [Event] { events.filter { !$0.isProgress && !$0.isCheckpoint } }

    var checkpoint: Checkpoint? { download?.checkpoint }

    func resumeData() throws -> ResumeData {
        guard let download else { throw ResumeData.Unavailable.nothingReceived }
        return try download.resumeData()
    }

    func start() { download?.start() }

    func cancel() { download?.cancel() }

    /// Returns when a condition holds; it is tried after every event.
    func wait(until condition: @escaping (DownloadProbe) -> Bool) async {
        if condition(self) { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiters.append((condition, $0)) }
        } onCancel: {
            // The test's time is over; what it expects next fails.
            LoopActor.perform { self.endWaits() }
        }
    }

    private func endWaits() {
        let ended = waiters
        waiters = []
        for (_, continuation) in ended { continuation.resume() }
    }

    /// How the download ended.
    func end() async -> Outcome? {
        await wait { $0.outcome != nil }
        return outcome
    }

    /// The result of a download that must finish.
    func result() async -> DownloadResult? {
        if case .finished(let result)? = await end() { result } else { nil }
    }

    /// The error of a download that must fail.
    func failure() async -> TransferError? {
        if case .failed(let error)? = await end() { error } else { nil }
    }

    private var receivers: Download.Events {
        Download.Events(
            responded: { [weak self] head, request in
                self?.response = head
                self?.currentRequest = request
                self?.record(.responded(head.status))
            },
            resumed: { [weak self] in self?.record(.resumed($0, $1)) },
            restarted: { [weak self] in
                self?.restartReasons.append($0)
                self?.record(.restarted)
            },
            progressed: { [weak self] received, total, coded in
                self?.coded.append(coded)
                self?.record(.progressed(received, total))
            },
            checkpointed: { [weak self] in
                self?.record(.checkpointed($0.synchronizedByteCount))
            },
            finished: { [weak self] result in
                self?.outcome = .finished(result)
                self?.record(.finished)
            },
            failed: { [weak self] error in
                self?.outcome = .failed(error)
                self?.record(.failed(error.code))
            }
        )
    }

    private func record(_ event: Event) {
        events.append(event)
        onEvent?(event)
        let due = waiters.filter { $0.0(self) }
        waiters.removeAll { $0.0(self) }
        for waiter in due { waiter.1.resume() }
    }
}
