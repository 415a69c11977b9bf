import FerryHTTP
import FerrySystem
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking

/// Receives the events of a background session, and passes them to its tasks.
@LoopActor
final class BackgroundSubscription {
    private let core: SessionCore
    private let connection: BackgroundConnection
    private let loader: BackgroundTaskLoader
    private let questions: BackgroundQuestions
    /// Whether this process was started for the events of this session.
    private let reportsEnd: Bool
    /// Whether the daemon holds back further events.
    private var isPaused = false
    /// Whether an event about a task has been received.
    private var isUseful = false
    private var opened: BackgroundConnection.Opened?
    private var ledger = EventLedger()
    /// Events that wait until the tasks of earlier launches are known.
    private var held: [Wire.Event] = []
    private var isHolding = false
    /// The session that the ledger's numbers belong to.
    private var numberedSession: Int64?

    nonisolated init(
        core: SessionCore,
        connection: BackgroundConnection,
        loader: BackgroundTaskLoader,
        reportsEnd: Bool
    ) {
        self.core = core
        self.connection = connection
        self.loader = loader
        questions = BackgroundQuestions(
            connection: connection,
            configuration: core.configuration
        )
        self.reportsEnd = reportsEnd
    }

    // MARK: - The stream

    /// The session is open, perhaps again.
    func begin(_ opened: BackgroundConnection.Opened) {
        // A session that was empty is created again, and numbers its events from 1.
        if let numberedSession, numberedSession != opened.session { ledger.renumber() }
        numberedSession = opened.session
        // Held events are sent again, as they have not been counted.
        held = []
        isHolding = false
        end()
        self.opened = opened
        connection.receiveEvents(of: opened) { [weak self] event in
            guard let self, opened == self.opened else { return }
            receive(event)
        }
        updateReading()
    }

    /// Stops receiving events.
    func end() {
        opened = nil
        (isPaused, isUseful) = (false, false)
    }

    /// Continues receiving unless too many events are undelivered, or tasks of events are not known yet.
    private func updateReading() {
        guard let opened else { return }
        let isPaused = isHolding || ledger.isFull || self.isPaused && !ledger.hasRoom
        guard isPaused != self.isPaused else { return }
        self.isPaused = isPaused
        connection.holdEvents(isPaused, of: opened)
    }

    // MARK: - Events

    private func receive(_ event: Wire.Event) {
        if !isUseful, event.task != nil {
            isUseful = true
            connection.wasUseful()
        }
        guard !isHolding else { return held.append(event) }
        if let identifier = event.task, core.task(identifier) == nil, !loader.isDone {
            hold(event)
        } else {
            process(event)
        }
        updateReading()
    }

    private func hold(_ event: Wire.Event) {
        isHolding = true
        held.append(event)
        loader.load { LoopActor.perform { [weak self] in self?.release() } }
    }

    private func release() {
        isHolding = false
        let events = held
        held = []
        for event in events { process(event) }
        updateReading()
    }

    private func process(_ event: Wire.Event) {
        switch event.kind {
        case .response:
            recordResponse(event, task(event))
        case .resumed:
            (task(event) as? URLSessionDownloadTask)?
                .recordResumption(at: event.offset ?? 0, of: event.expectedByteCount)
        case .progress:
            switch task(event) {
            case let download as URLSessionDownloadTask:
                download.recordProgress(
                    event.receivedByteCount ?? 0,
                    of: event.expectedByteCount,
                    coded: CodedProgress(event)
                )
            case let upload as URLSessionUploadTask:
                upload.recordBackgroundProgress(event)
            default:
                break
            }
        case .completed:
            processEnd(event)
        case .challenged, .delayed, .expired:
            askApp(event)
        case .drained:
            if ledger.drained() { notifyEnd() }
        case .other:
            // An event of a newer daemon that this library does not know.
            break
        }
    }

    private func recordResponse(_ event: Wire.Event, _ task: URLSessionTask?) {
        switch task {
        case let download as URLSessionDownloadTask:
            download.recordResponse(
                event.response.map { LatestResponse($0) },
                to: event.request.map { TransferRequest($0) }
            )
        case let upload as URLSessionUploadTask:
            upload.recordBackgroundResponse(event)
        default:
            break
        }
    }

    /// Processes an event that is repeated until it is acknowledged, unless it is already being processed.
    private func processEnd(_ event: Wire.Event) {
        guard let sequence = event.sequence, let number = numberedSession else { return }
        let isOld = ledger.isOld
        guard ledger.receive(sequence: sequence) else { return }
        let task = task(event)
        let download = task as? URLSessionDownloadTask
        let acknowledge: @Sendable () -> Void = { [connection] in
            let path = download?.savedLocation?.path
            connection.acknowledge(sequence, ofSession: number, path: path)
        }
        let didDeliver: @Sendable () -> Void = { [self] in
            if core.delegate != nil { acknowledge() }
            LoopActor.perform { self.didDeliver(wasOld: isOld) }
        }
        guard let task else { return didDeliver() }
        core.unread?.expect(endOf: task.taskIdentifier, acknowledge: acknowledge)
        recordResponse(event, task)
        completed(event, task, didDeliver)
    }

    /// Asks the app, unless it is already deciding.
    private func askApp(_ event: Wire.Event) {
        guard let task = task(event), questions.isNew(event) else { return }
        let isOld = ledger.receiveQuestion()
        questions.ask(event, of: task) {
            if isOld, self.ledger.settledQuestion() { self.notifyEnd() }
        }
    }

    private func completed(
        _ event: Wire.Event,
        _ task: URLSessionTask,
        _ didDeliver: @escaping @Sendable () -> Void
    ) {
        let bodyFailure = recordContent(event, task)
        let url = task.currentRequest?.url ?? task.originalRequest?.url
        questions.forget(task.taskIdentifier)
        connection.taskEnded(task.taskIdentifier)
        let error = URLError(event, url: url) ?? bodyFailure
        if let metrics = event.metrics {
            task.deliverMetrics(metrics, response: event.response, hasFailed: error != nil)
        }
        task.deliver(.completed(error: error), didDeliver: didDeliver)
    }

    /// Delivers the file that a task ends with, if any.
    ///
    /// - Returns: Why the body of the response to an upload cannot be delivered, if so.
    private func recordContent(_ event: Wire.Event, _ task: URLSessionTask) -> URLError? {
        switch task {
        case let upload as URLSessionUploadTask where event.failure == nil:
            return upload.recordBackgroundBody(event)
        case let download as URLSessionDownloadTask:
            guard let path = event.path else { return nil }
            download.recordFile(
                FinishedFile(path: path, directoryIdentity: event.directoryIdentity),
                byteCount: event.receivedByteCount ?? event.expectedByteCount ?? 0
            )
            return nil
        default:
            return nil
        }
    }

    /// Returns the task that an event is about; makes it from the event if it is unknown.
    private func task(_ event: Wire.Event) -> URLSessionTask? {
        guard let identifier = event.task else { return nil }
        return core.adoptTask(identifier) { handle in
            guard event.sentByteCount == nil else {
                return URLSessionUploadTask(
                    identifier: identifier,
                    of: core,
                    session: handle,
                    event
                )
            }
            return URLSessionDownloadTask(
                identifier: identifier,
                of: core,
                session: handle,
                event
            )
        }
    }

    private func didDeliver(wasOld: Bool) {
        if ledger.told(wasOld: wasOld) { notifyEnd() }
        updateReading()
    }

    private func notifyEnd() {
        guard reportsEnd, let handle = core.handle else { return }
        if let unread = core.unread { return unread.append(.finished) }
        core.delegateCalls.perform { [core] in
            core.delegate?.urlSessionDidFinishEvents(forBackgroundURLSession: handle)
        }
    }
}

/// Records a session's final events: which are new, and when all that waited have been delivered.
struct EventLedger {
    /// The number of undelivered events at which reading pauses, so that a slow delegate does not fill the memory.
    static let limit = 256

    private var highestSequence = Int64.min
    private var undeliveredCount = 0
    /// The number of undelivered events that waited for this process.
    private var undeliveredOldCount = 0
    private var isDrained = false
    private var hasReportedEnd = false

    /// Whether to stop reading for a while.
    var isFull: Bool { undeliveredCount >= Self.limit }

    /// Whether to continue reading.
    var hasRoom: Bool { undeliveredCount <= Self.limit / 2 }

    /// Whether events that arrive now have waited for this process.
    var isOld: Bool { !isDrained }

    /// Records an event with this number.
    ///
    /// - Returns: Whether it is new: after a lost connection the daemon repeats events that were not acknowledged.
    mutating func receive(sequence: Int64) -> Bool {
        guard sequence > highestSequence else { return false }
        highestSequence = sequence
        undeliveredCount += 1
        if isOld { undeliveredOldCount += 1 }
        return true
    }

    /// Records a question to the app.
    ///
    /// - Returns: Whether the question has waited for this process; then it must be settled before the end is reported.
    mutating func receiveQuestion() -> Bool {
        if isOld { undeliveredOldCount += 1 }
        return isOld
    }

    /// Records that a question that had waited for this process was settled.
    ///
    /// - Returns: Whether it was the last of all that waited.
    mutating func settledQuestion() -> Bool {
        undeliveredOldCount -= 1
        return takeEnd()
    }

    /// Prepares for events with the numbers of another session.
    mutating func renumber() { highestSequence = .min }

    /// Records that all events that waited have arrived.
    ///
    /// - Returns: Whether they have also been delivered.
    mutating func drained() -> Bool {
        isDrained = true
        return takeEnd()
    }

    /// Records that an event was delivered.
    ///
    /// - Parameter wasOld: The value of ``isOld`` when it arrived.
    /// - Returns: Whether it was the last of all that waited.
    mutating func told(wasOld: Bool) -> Bool {
        undeliveredCount -= 1
        if wasOld { undeliveredOldCount -= 1 }
        return takeEnd()
    }

    /// Returns whether everything that had waited is delivered, once.
    private mutating func takeEnd() -> Bool {
        guard isDrained, undeliveredOldCount == 0, !hasReportedEnd else { return false }
        hasReportedEnd = true
        return true
    }
}

extension CodedProgress {
    /// How much has arrived of a body that is decoded; `nil` for any other one.
    fileprivate init?(_ event: Wire.Event) {
        guard let received = event.codedByteCount, let total = event.expectedCodedByteCount else {
            return nil
        }
        self.init(receivedByteCount: received, totalByteCount: total)
    }
}
