import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// The connection of a WebSocket task of a default or ephemeral session, on the event loop.
///
/// It does not take one of the connections that the session may have per host: it would keep it for hours, and requests
/// would wait.
@LoopActor
final class InProcessWebSocket: TaskBackend {
    private weak var task: URLSessionWebSocketTask?
    private var specification: Result<WebSocketTaskSpecification, URLError>
    private let engine: InProcessEngine
    private var configuration: URLSessionConfiguration.Values { engine.configuration }
    /// The search for a request that opens the connection.
    private var opening: WebSocketOpening?
    private var connection: WebSocketConnection?
    private var clock: ResourceClock?
    /// The error with which the task fails, if the connection does not know it.
    private var failure: TransferError?
    /// The latest response of a server, if it did not open the connection.
    private var latestAnswer: HTTPResponseHead?
    private var transactions: OpeningTransactions?
    private var gate: ConnectivityGate?
    private var hasBegun = false
    private var hasEnded = false

    nonisolated init(
        _ specification: Result<WebSocketTaskSpecification, URLError>,
        _ engine: InProcessEngine
    ) {
        self.specification = specification
        self.engine = engine
    }

    /// Attaches the socket to a task; called before anything else.
    func attach(to task: URLSessionWebSocketTask) {
        self.task = task
        clock = ResourceClock(seconds: configuration.timeoutIntervalForResource)
        gate = engine.makeGate(for: task)
        gate?.transfer = self
        guard let specification = try? specification.get() else { return }
        var settings = WebSocketConnection.Configuration()
        settings.openingTimeout = specification.openingTimeout
        connection = WebSocketConnection(
            WebSocketRequest(url: specification.url, fields: specification.request.fields),
            client: engine.clientConfiguration,
            configuration: settings,
            events: WebSocketConnection.Events(
                opened: { [weak self] in self?.opened($0, $1) },
                refused: { [weak self] in self?.refused($0) },
                decideOnTrust: { [weak self] trust in
                    self?.opening?.decide(on: trust) ?? .followVerdict
                },
                decideOnIdentity: { [weak self] certificateRequest in
                    self?.opening?.decide(on: certificateRequest) ?? .goOnWithout
                },
                ended: { [weak self] in self?.ended($0) }
            )
        )
    }

    /// Finds the first request, now that the delegates to ask are known.
    private func beginOpening() {
        hasBegun = true
        guard let task, case .success(let specification) = specification else { return }
        let decider = TaskDecider(task: task, engine: engine)
        transactions = OpeningTransactions(conditions: engine.networkConditions)
        let opening = WebSocketOpening(
            specification.request,
            protocols: specification.protocols,
            asksForTrust: decider.challenges.mayDecideOnCertificates,
            acceptsInvalidCertificates: decider.acceptsInvalidCertificates,
            environment: WebSocketOpening.Environment(
                decide: { decider.decide(on: $0, then: $1) },
                hasApproved: { decider.hasApproved($0) },
                identity: { decider.identity(for: $0) },
                open: { [weak self] in self?.open($0, by: $1) },
                giveUp: { [weak self] in self?.giveUp($0) }
            )
        )
        self.opening = opening
        opening.start()
    }

    /// Opens the connection, or another one in place of one that was refused.
    private func open(_ request: TransferRequest, by handshake: WebSocketRequest) {
        if case .success(var next) = specification, next.request != request {
            next.request = request
            specification = .success(next)
            var shown = request
            shown.url = next.url
            task?.recordRequest(shown)
        }
        transactions?.begin(request, handshake.fields)
        connection?.proceed(with: handshake)
    }

    // MARK: - Commands of the app

    nonisolated func perform(
        _ command: URLSessionTask.Lifecycle.Command,
        on task: URLSessionTask
    ) {
        LoopActor.perform { [self] in perform(command) }
    }

    /// Does nothing: only the app's process needs the description.
    nonisolated func descriptionChanged(to description: String?, of task: URLSessionTask) {}

    /// Does nothing: there is no line in which the priority would matter.
    nonisolated func priorityChanged(to priority: Float, of task: URLSessionTask) {}

    private func perform(_ command: URLSessionTask.Lifecycle.Command) {
        guard !hasEnded else { return }
        switch command {
        case .resume:
            if let error = specification.failure { return end(with: error) }
            clock?.start { [weak self] in self?.timeRanOut() }
            if let size = task?.maximumMessageSize { connection?.maximumMessageByteCount = size }
            if hasBegun { connection?.start() } else { passGate() }
        case .suspend:
            clock?.stop()
            if hasBegun { connection?.suspend() } else { gate?.cancel() }
        case .cancel, .cancelProducingResumeData:
            connection?.cancel()
            end(with: URLError(.cancelled, url: url))
        }
    }

    private func passGate() {
        gate?.pass { [weak self] in
            self?.beginOpening()
            self?.connection?.start()
        }
    }

    func send(
        _ message: URLSessionWebSocketTask.Message,
        completion: @escaping @LoopActor (Result<Void, any Error>) -> Void
    ) -> UInt64? {
        guard let connection else { return refuse(completion) }
        return connection.send(WebSocketMessage(message)) { [url] error in
            completion(error.map { .failure($0.appError(url: url)) } ?? .success(()))
        }
    }

    func ping(completion: @escaping @LoopActor (Result<Void, any Error>) -> Void) -> UInt64? {
        guard let connection else { return refuse(completion) }
        return connection.ping { [url] error in
            completion(error.map { .failure($0.appError(url: url)) } ?? .success(()))
        }
    }

    func receive(
        _ receiver:
            @escaping @LoopActor (Result<URLSessionWebSocketTask.Message, any Error>) -> Void
    ) -> UInt64? {
        guard let connection else { return refuse(receiver) }
        return connection.receive { [url] result in
            receiver(
                result.map { URLSessionWebSocketTask.Message($0) }
                    .mapError { $0.appError(url: url) }
            )
        }
    }

    /// Fails a call of a task whose request cannot be sent.
    private func refuse<Value>(
        _ completion: @LoopActor (Result<Value, any Error>) -> Void
    ) -> UInt64? {
        completion(.failure(specification.failure ?? URLError(.unknown, url: nil)))
        return nil
    }

    /// Gives up a call that has not ended, by the number that it has returned.
    func withdraw(_ call: UInt64) { connection?.withdraw(call) }

    func close(_ code: URLSessionWebSocketTask.CloseCode, reason: Data?) {
        guard !hasEnded else { return }
        guard let connection else { return end(with: URLError(.cancelled, url: url)) }
        connection.close(code: UInt16(exactly: code.rawValue), reason: Array(reason ?? Data()))
    }

    private var url: URL? {
        guard let specification = try? specification.get() else {
            return specification.failure?.failingURL
        }
        return URL(string: specification.url)
    }

    // MARK: - Events of the connection

    private func opened(_ head: HTTPResponseHead, _ chosen: String?) {
        opening = nil
        transactions?.answered(head)
        record(head)
        task?.deliver(.socket(.opened(protocol: chosen)))
    }

    private func refused(_ refusal: WebSocketConnection.Refusal) {
        latestAnswer = nil
        // A response with the status 407 is that of a proxy, not of the server.
        if case .answer(let head) = refusal, head.status != 407 {
            latestAnswer = head
            transactions?.answered(head)
        }
        opening?.refused(refusal)
    }

    /// Gives up, because there is nothing else to try.
    private func giveUp(_ error: TransferError?) {
        failure = error
        if error == nil, let latestAnswer { record(latestAnswer) }
        connection?.proceed(with: nil)
    }

    private func ended(_ end: WebSocketConnection.End) {
        switch end {
        case .closed(let code, let reason):
            let given = code.flatMap { URLSessionWebSocketTask.CloseCode(rawValue: Int($0)) }
            let shown = given ?? .noStatusReceived
            let text = reason.isEmpty ? nil : Data(reason)
            task?.recordClose(shown, reason: text)
            task?.deliver(.socket(.closed(shown, reason: text)))
            self.end(with: nil)
        case .failed(let error):
            self.end(with: failure.map { URLError($0, url: url) } ?? error.appError(url: url))
        }
    }

    private func timeRanOut() {
        connection?.cancel()
        let seconds = configuration.timeoutIntervalForResource
        let reason = "The task was not done after \(seconds) seconds."
        end(with: URLError(.timedOut, url: url, reason: reason))
    }

    private func end(with error: (any Error)?) {
        guard !hasEnded else { return }
        hasEnded = true
        gate?.cancel()
        opening?.cancel()
        opening = nil
        clock?.stop()
        if let task, let transactions {
            task.deliverMetrics(transactions.metrics(of: task, hasFailed: error != nil))
        }
        task?.deliver(.completed(error: error))
    }

    private func record(_ head: HTTPResponseHead) {
        task?.storage.withLock { $0.response = LatestResponse(head) }
    }
}

extension InProcessWebSocket: GatedTransfer {
    /// A connection cannot be continued: a server does not know which messages arrived before it was lost.
    var canBeInterrupted: Bool { false }

    /// Does nothing: the connection has not begun.
    func heldBack() {}

    func calledBack() { passGate() }

    func networkIsForbidden(_ met: Conditions) {
        connection?.cancel()
        end(with: URLError.networkForbidden(.init(met), url: url))
    }
}

extension WebSocketError {
    /// Returns the error that an app receives.
    ///
    /// Apple's library reports errors in the WebSocket protocol as POSIX codes; their numbers are Linux's here.
    ///
    /// - Parameter url: The URL of the task.
    /// - Returns: A `URLError`, or a `POSIXError`, for which Foundation keeps no text of ours on Linux.
    func appError(url: URL?) -> any Error {
        switch code {
        case .transport:
            cause.map { URLError(TransferError($0), url: url) } ?? URLError(.unknown, url: url)
        case .refused: URLError(.badServerResponse, url: url, reason: message)
        case .protocolViolation: POSIXError(.EPROTO)
        case .messageTooBig: POSIXError(.EMSGSIZE)
        case .notConnected: POSIXError(.ENOTCONN)
        case .cancelled: URLError(.cancelled, url: url, reason: message)
        }
    }
}
