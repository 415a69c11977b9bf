import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// Has an app's delegates decide what becomes of the requests of a task, and tells them how those go.
@LoopActor
final class TaskDecider: LoadDecider {
    /// Completes a request, beside its cookies.
    typealias Preparation =
        @LoopActor (
            TransferRequest, @escaping @LoopActor ([HTTPField]) -> Void
        ) -> Void

    /// The task, which a data task can exchange for a download task.
    var task: URLSessionTask
    let engine: InProcessEngine
    private var transactions: [Transaction] = []
    private(set) var redirectCount = 0
    private let handlesCookies: Bool
    /// How fast the task's bodies may arrive and leave.
    let rates: TransferRates
    /// What else a request needs, if anything.
    var preparation: Preparation?
    /// Called before a delegate is asked anything about a request.
    var willAsk: (@LoopActor () -> Void)?

    /// What is told of one request.
    private enum Transaction: Sendable {
        case load(LoadTransaction)
        case cached(URLRequest, URLResponse, DateInterval)
        /// Of what no server was asked for.
        case served(URLRequest, URLResponse?, DateInterval)

        func metrics(
            originalRequest: URLRequest?,
            hasFailed: Bool
        ) -> URLSessionTaskTransactionMetrics {
            switch self {
            case .load(let transaction):
                URLSessionTaskTransactionMetrics(
                    transaction,
                    originalRequest: originalRequest,
                    hasFailed: hasFailed
                )
            case .cached(let request, let response, let interval):
                URLSessionTaskTransactionMetrics(
                    cached: request,
                    response: response,
                    interval: interval
                )
            case .served(let request, let response, let interval):
                URLSessionTaskTransactionMetrics(
                    served: request,
                    response: response,
                    interval: interval,
                    hasFailed: hasFailed
                )
            }
        }
    }

    init(task: URLSessionTask, engine: InProcessEngine) {
        self.task = task
        self.engine = engine
        handlesCookies = task.originalRequest?.httpShouldHandleCookies ?? true
        rates = TransferRates(
            receiving: [engine.receivingLimit],
            sending: [engine.sendingLimit]
        )
        updateRates()
    }

    /// What the app wants of the task's speed, or thinks of its importance, may have changed.
    func updateRates() {
        let options = task.transferOptions
        rates.limit(
            receiving: options.maximumReceiveRate.map { max($0, 1) },
            sending: options.maximumSendRate.map { max($0, 1) }
        )
        rates.setPriority(Double(task.priority))
    }

    // MARK: - Requests

    func load(
        _ load: Load,
        prepare request: TransferRequest,
        then send: @escaping @LoopActor ([HTTPField]) -> Void
    ) {
        guard handlesCookies, engine.configuration.httpShouldSetCookies else {
            return prepare(request, adding: [], then: send)
        }
        let cookies = engine.cookies
        guard !cookies.isInMemory else {
            let field = cookies.field(for: request)
            return prepare(request, adding: field.map { [$0] } ?? [], then: send)
        }
        CookieStore.queue.perform {
            let field = cookies.field(for: request)
            LoopActor.perform { [self] in
                prepare(request, adding: field.map { [$0] } ?? [], then: send)
            }
        }
    }

    private func prepare(
        _ request: TransferRequest,
        adding fields: [HTTPField],
        then send: @escaping @LoopActor ([HTTPField]) -> Void
    ) {
        guard let preparation else { return send(fields) }
        var request = request
        request.fields += fields
        preparation(request) { send(fields + $0) }
    }

    func load(
        _ load: Load,
        mayRedirectTo request: TransferRequest,
        for head: HTTPResponseHead,
        then follow: @escaping @LoopActor (TransferRequest?) -> Void
    ) {
        willAsk?()
        let answer = Answer { [self] (next: TransferRequest?) in
            if let next {
                redirectCount += 1
                task.noteRequest(next)
            }
            follow(next)
        }
        guard task.isHeard(.redirection), let response = HTTPURLResponse.make(head) else {
            return answer(request)
        }
        let original = task.originalRequest ?? URLRequest(request)
        let offered = original.redirected(as: request)
        let question: URLSessionTask.Question<any URLSessionTaskDelegate, TransferRequest?> = {
            [task] session, delegate, answer in
            delegate.urlSession(
                session,
                task: task,
                willPerformHTTPRedirection: response,
                newRequest: offered
            ) { chosen in
                answer(chosen.map { TransferRequest($0, insteadOf: offered, request) })
            }
        }
        task.ask(.redirection, question, orElse: request) { answer($0) }
    }

    /// Asks whether a redirect is followed that a protocol object of the app's has reported.
    func mayRedirect(
        to request: URLRequest,
        _ response: URLResponse,
        then follow: @escaping @LoopActor (URLRequest?) -> Void
    ) {
        let answer = Answer { [self] (next: URLRequest?) in
            if next != nil { redirectCount += 1 }
            follow(next)
        }
        guard let response = response as? HTTPURLResponse else { return answer(request) }
        let question: URLSessionTask.Question<any URLSessionTaskDelegate, URLRequest?> = {
            [task] session, delegate, answer in
            delegate.urlSession(
                session,
                task: task,
                willPerformHTTPRedirection: response,
                newRequest: request,
                completionHandler: answer
            )
        }
        task.ask(.redirection, question, orElse: request) { answer($0) }
    }

    func loadNeedsBody(
        _ load: Load,
        from offset: Int64,
        then send: @escaping @LoopActor ((any HTTPBodySource)?) -> Void
    ) {
        let length = task.originalRequest?.announcedBodyByteCount.map { $0 - offset }
        let question: URLSessionTask.Question<any URLSessionTaskDelegate, BodyStream?> = {
            [task] session, delegate, answer in
            guard offset > 0 else {
                return delegate.urlSession(session, task: task) { stream in
                    answer(stream.map { BodyStream($0) })
                }
            }
            delegate.urlSession(session, task: task, needNewBodyStreamFrom: offset) { stream in
                answer(stream.map { BodyStream($0) })
            }
        }
        task.ask(offset > 0 ? .newBodyStreamFrom : .newBodyStream, question, orElse: nil) {
            send($0.map { StreamBodySource($0, byteCount: length) })
        }
    }

    // MARK: - Messages

    func load(_ load: Load, didSendBodyBytes byteCount: Int64) {
        task.noteSent(byteCount)
    }

    func load(_ load: Load, resumesBodyAt offset: Int64) {
        task.noteSending(from: offset)
    }

    func load(_ load: Load, didReceiveInformational head: HTTPResponseHead) {
        guard task.isHeard(.informational), let response = HTTPURLResponse.make(head) else {
            return
        }
        task.deliver(
            .call { [task] session in
                task.tell(.informational) { (delegate: any URLSessionTaskDelegate) in
                    delegate.urlSession(
                        session,
                        task: task,
                        didReceiveInformationalResponse: response
                    )
                }
            }
        )
    }

    func load(_ load: Load, didReceiveAny head: HTTPResponseHead, to request: TransferRequest) {
        engine.noteVersion(head.version, of: request.url)
        guard handlesCookies, head.fields.first(named: "Set-Cookie") != nil else { return }
        let document = task.originalRequest?.mainDocumentURL
        let cookies = engine.cookies
        guard !cookies.isInMemory else {
            return cookies.store(head, to: request, mainDocumentURL: document)
        }
        // The next request asks behind this for its cookies.
        CookieStore.queue.perform {
            cookies.store(head, to: request, mainDocumentURL: document)
        }
    }

    func load(_ load: Load, didCollect transaction: LoadTransaction) {
        transactions.append(.load(transaction))
    }

    /// The requests of another task have brought the answer for this one, too.
    func share(_ other: TaskDecider) {
        transactions = other.transactions
        redirectCount = other.redirectCount
    }

    /// What holds the task back while there is no network.
    func makeGate(for url: URL?) -> ConnectivityGate {
        ConnectivityGate(
            waits: engine.configuration.waitsForConnectivity,
            host: url?.host ?? "localhost",
            onWait: { [weak self] in self?.tellWaiting() }
        )
    }

    private func tellWaiting() {
        task.deliver(
            .call { [task] session in
                task.tell(.waiting) { (delegate: any URLSessionTaskDelegate) in
                    delegate.urlSession(session, taskIsWaitingForConnectivity: task)
                }
            }
        )
    }

    /// The answer has come from the cache.
    func noteCached(_ response: URLResponse, to request: TransferRequest, since start: Date) {
        let interval = DateInterval(start: min(start, Date()), end: Date())
        transactions.append(.cached(URLRequest(request), response, interval))
    }

    /// An object of the app's, a file or the URL itself has answered, or has failed to.
    func noteServed(_ request: URLRequest?, response: URLResponse?, since start: Date) {
        guard let request else { return }
        let interval = DateInterval(start: min(start, Date()), end: Date())
        transactions.append(.served(request, response, interval))
    }

    /// Tells what the requests have cost, when the task has ended.
    func deliverMetrics(hasFailed: Bool) {
        guard task.isHeard(.metrics) else { return }
        let (created, original) = task.storage.withLock { ($0.created, $0.originalRequest) }
        let interval = DateInterval(start: min(created, Date()), end: Date())
        let (transactions, redirectCount) = (transactions, redirectCount)
        task.deliverMetrics {
            URLSessionTaskMetrics(
                taskInterval: interval,
                redirectCount: redirectCount,
                transactions: transactions.enumerated().map { index, transaction in
                    transaction.metrics(
                        originalRequest: original,
                        hasFailed: hasFailed && index == transactions.count - 1
                    )
                }
            )
        }
    }
}
