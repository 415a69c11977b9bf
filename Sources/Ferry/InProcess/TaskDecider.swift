import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// An object that asks the app's delegates about the requests of a task, and reports their progress.
@LoopActor
final class TaskDecider: LoadDecider {
    /// The task; a data task may be replaced by a download task.
    var task: URLSessionTask
    let engine: InProcessEngine
    private var transactions: [Transaction] = []
    private(set) var redirectCount = 0
    private let handlesCookies: Bool
    /// Whether a response of the task has set cookies that are stored off the loop.
    private var storesCookies = false
    /// The rates at which the task's bodies may be received and sent.
    let rates: TransferRates
    /// The request that the task makes for others, too, until its delegate is asked anything.
    weak var sharedRequest: (any SharedRequest)?

    /// The metrics of one request.
    private enum Transaction: Sendable {
        case load(LoadTransaction)
        case cached(URLRequest, URLResponse, DateInterval)
        /// For a resource that is not on a server.
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

    // The options are read where they are: a copy of all of them costs as much as a call of libcurl.

    /// Whether what is loaded may be given to other tasks with the same request as well.
    var allowsSharing: Bool { task.storage.withLock { $0.transferOptions.allowSharing } }

    /// Whether any certificate of a server is accepted.
    var acceptsInvalidCertificates: Bool {
        task.storage.withLock { $0.transferOptions.acceptsInvalidCertificates }
    }

    /// Returns how the task's requests are loaded.
    func makeLoad(
        by protocolChoice: HTTPRequest.ProtocolChoice,
        acceptedCodings: String?
    ) -> Load.Configuration {
        let asksForTrust = challenges.mayDecideOnCertificates
        return task.storage.withLock { [rates] in
            $0.transferOptions.load(
                by: protocolChoice,
                asksForTrust: asksForTrust,
                acceptedCodings: acceptedCodings,
                rates: rates
            )
        }
    }

    /// Applies the task's current rate limits and priority.
    func updateRates() {
        let (received, sent) = task.storage.withLock {
            ($0.transferOptions.maximumReceiveRate, $0.transferOptions.maximumSendRate)
        }
        rates.limit(receiving: received.map { max($0, 1) }, sending: sent.map { max($0, 1) })
        rates.setPriority(Double(task.priority))
    }

    // MARK: - Requests

    func load(
        _ load: Load,
        prepare request: TransferRequest,
        then send: @escaping @LoopActor ([HTTPField]) -> Void
    ) {
        guard handlesCookies, engine.configuration.httpShouldSetCookies else {
            return send([])
        }
        let cookies = engine.cookies
        guard !cookies.isInMemory else {
            return send(cookies.field(for: request).map { [$0] } ?? [])
        }
        cookies.lookUpField(for: request) { send($0.map { [$0] } ?? []) }
    }

    func load(
        _ load: Load,
        mayRedirectTo request: TransferRequest,
        for head: HTTPResponseHead,
        then follow: @escaping @LoopActor (TransferRequest?) -> Void
    ) {
        sharedRequest?.releaseFollowers()
        let answer = Answer { [self] (next: TransferRequest?) in
            if let next {
                redirectCount += 1
                task.recordRequest(next)
            }
            follow(next)
        }
        guard task.hasHandler(.redirection), let response = HTTPURLResponse.make(head) else {
            return answer(request)
        }
        let original = task.originalRequest ?? URLRequest(request)
        let offered = original.redirected(as: request)
        let former = load.currentRequest
        let question: URLSessionTask.Question<any URLSessionTaskDelegate, TransferRequest?> = {
            [task] session, delegate, answer in
            delegate.urlSession(
                session,
                task: task,
                willPerformHTTPRedirection: response,
                newRequest: offered
            ) { chosen in
                answer(
                    chosen.map { TransferRequest($0, insteadOf: offered, request, after: former) }
                )
            }
        }
        task.ask(.redirection, question, orElse: request) { answer($0) }
    }

    /// Asks whether to follow a redirect that an app's protocol object has reported.
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
        task.recordSent(byteCount)
    }

    func load(_ load: Load, resumesBodyAt offset: Int64) {
        task.recordSending(from: offset)
    }

    func load(_ load: Load, didReceiveInformational head: HTTPResponseHead) {
        guard task.hasHandler(.informational), let response = HTTPURLResponse.make(head) else {
            return
        }
        task.deliver(
            .call { [task] session in
                task.notify(.informational) { (delegate: any URLSessionTaskDelegate) in
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
        engine.recordVersion(head.version, of: request.url)
        guard handlesCookies, head.fields.first(named: "Set-Cookie") != nil else { return }
        let document = task.originalRequest?.mainDocumentURL
        let cookies = engine.cookies
        guard !cookies.isInMemory else {
            return cookies.store(head, to: request, mainDocumentURL: document)
        }
        storesCookies = true
        // The next request looks up its cookies behind this on the same queue.
        CookieStore.queue.perform {
            cookies.store(head, to: request, mainDocumentURL: document)
        }
    }

    /// The conditions of the network, as far as they are known.
    var conditions: Conditions { engine.networkConditions }

    func load(_ load: Load, didCollect transaction: LoadTransaction) {
        transactions.append(.load(transaction))
    }

    /// Takes over the figures of another task, whose requests have brought the response for this one, too.
    func share(_ other: TaskDecider) {
        transactions = other.transactions
        redirectCount = other.redirectCount
        storesCookies = other.storesCookies
    }

    /// Records that the response came from the cache.
    func recordCached(_ response: URLResponse, to request: TransferRequest, since start: Date) {
        let interval = DateInterval(start: min(start, Date()), end: Date())
        transactions.append(.cached(URLRequest(request), response, interval))
    }

    /// Records that an app's protocol object, a file or the URL itself has answered or failed.
    func recordServed(_ request: URLRequest?, response: URLResponse?, since start: Date) {
        guard let request else { return }
        let interval = DateInterval(start: min(start, Date()), end: Date())
        transactions.append(.served(request, response, interval))
    }

    /// Delivers the metrics of the requests and the end of the task.
    ///
    /// The end follows the storing of the cookies that came: the app may look there at once.
    func deliverEnd(_ error: (any Error)?) {
        deliverMetrics(hasFailed: error != nil)
        guard storesCookies else { return task.deliver(.completed(error: error)) }
        CookieStore.queue.perform { [task] in
            LoopActor.perform { task.deliver(.completed(error: error)) }
        }
    }

    private func deliverMetrics(hasFailed: Bool) {
        guard task.hasHandler(.metrics) else { return }
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
