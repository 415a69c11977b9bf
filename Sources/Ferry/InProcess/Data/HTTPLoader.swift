import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking

/// A loader that gets a response from a server, or from the cache instead.
@LoopActor
final class HTTPLoader: ResourceLoader {
    private let request: TransferRequest
    private let body: RequestBody
    private let policy: CachePolicy
    private let client: HTTPClient
    private let cache: ResponseCache?
    private let decider: TaskDecider
    /// The gate that a request passes if the cache does not have its response.
    private weak var gate: ConnectivityGate?
    private weak var receiver: (any ResourceReceiver)?
    private var source: (any PausableAnswerSource)?
    private var isPaused = false
    private let startTime = Date()

    /// The result of the cache lookup, and the time at which the request was sent.
    private var lookup: ResponseCache.Lookup?
    private var requestTime = HTTPDate.now
    /// The response that may be stored, and its body so far.
    private var proposed: StoredResponse?
    private var copy = Data()
    /// The stored response that the server has confirmed, which is delivered instead of the server's response.
    private var confirmed: CachedURLResponse?
    private var fetchesAgain = false
    /// Whether the cache has something to store or to remove.
    private var changesCache = false
    /// A stored body that waits to be delivered.
    private var servedBody: Data?

    init(
        request: TransferRequest,
        body: RequestBody,
        policy: CachePolicy,
        client: HTTPClient,
        cache: ResponseCache?,
        decider: TaskDecider,
        gate: ConnectivityGate?,
        receiver: any ResourceReceiver
    ) {
        self.request = request
        self.body = body
        self.policy = policy
        self.client = client
        self.cache = cache
        self.decider = decider
        self.gate = gate
        self.receiver = receiver
    }

    func start() {
        let source = makeSource(
            decider.makeLoad(by: .http2, acceptedCodings: ContentCoding.allNames)
        )
        self.source = source
        if isPaused { source.pause() }
        source.start()
    }

    private func makeSource(_ configuration: Load.Configuration) -> any PausableAnswerSource {
        switch body {
        case .plain(let body):
            Load(
                request: request,
                body: body,
                client: client,
                configuration: configuration,
                decider: decider,
                receiver: self
            )
        case .upload(let upload):
            ResumableUpload(
                request: request,
                body: upload.body,
                resource: upload.resource,
                client: client,
                configuration: upload.configuration(configuration, for: request),
                memory: decider.engine.uploadMemory,
                decider: decider,
                receiver: self,
                onChange: upload.onChange
            )
        }
    }

    func pause() {
        isPaused = true
        source?.pause()
    }

    func resume() {
        isPaused = false
        source?.resume()
        serveBody()
    }

    /// Has the server discard the upload, and ends.
    func terminateUpload() {
        (source as? ResumableUpload)?.terminate()
        cancel()
    }

    func cancel() {
        source?.cancel()
        source = nil
        servedBody = nil
        receiver = nil
    }

    // MARK: - The cache

    /// Looks up a request in the cache: the first one and those after redirects.
    func load(
        _ load: Load,
        prepare request: TransferRequest,
        adding fields: [HTTPField],
        then send: @escaping @LoopActor ([HTTPField]) -> Void
    ) {
        lookup = nil
        requestTime = .now
        guard let cache, !fetchesAgain else { return send(fields) }
        var request = request
        request.fields += fields
        cache.lookUp(request, policy: policy) { [weak self, request] lookup in
            self?.found(lookup, for: request) { send(fields + $0) }
        }
    }

    private func found(
        _ lookup: ResponseCache.Lookup,
        for request: TransferRequest,
        then send: @escaping @LoopActor ([HTTPField]) -> Void
    ) {
        guard source != nil else { return }
        self.lookup = lookup
        requestTime = .now
        switch lookup.plan {
        case .fetch(let fields):
            guard let gate else { return send(fields) }
            gate.pass { send(fields) }
        case .useStored:
            endLoad()
            decider.task.recordRequest(request)
            if let stored = lookup.entry?.response { serve(stored, to: request) }
        case .fail:
            endLoad()
            finish(ResponseCache.failure(of: request))
        }
    }

    private func endLoad() {
        source?.cancel()
        source = nil
    }

    /// Delivers a stored response.
    private func serve(_ stored: CachedURLResponse, to request: TransferRequest) {
        decider.recordCached(stored.response, to: request, since: startTime)
        servedBody = stored.data
        receiver?.didReceive(LatestResponse(stored.response))
        serveBody()
    }

    private func serveBody() {
        guard !isPaused, let body = servedBody else { return }
        servedBody = nil
        body.withUnsafeBytes { bytes in
            if !bytes.isEmpty { receiver?.didReceive(bytes) }
        }
        finish(nil)
    }

    /// Reports the end after the cache has stored the response: the app may look there at once.
    private func finish(_ error: (any Error)?) {
        guard changesCache, let cache else { return end(error) }
        cache.afterChanges { [self] in end(error) }
    }

    private func end(_ error: (any Error)?) {
        let receiver = receiver
        self.receiver = nil
        receiver?.didFinish(error)
    }
}

// MARK: - The answer

extension HTTPLoader: LoadReceiver {
    func load(
        _ load: Load,
        didReceive head: HTTPResponseHead,
        to request: TransferRequest
    ) -> HTTPBodyDisposition {
        decider.task.recordRequest(request)
        guard var transaction = lookup?.transaction, let cache else { return deliver(head) }
        let answer = transaction.answered(
            with: head,
            usesCredential: load.usesCredential,
            requestTime: requestTime,
            responseTime: .now
        )
        switch answer {
        case .deliver(let proposed, let outdated):
            cache.invalidate(outdated)
            changesCache = !outdated.isEmpty
            self.proposed = proposed
            return deliver(head)
        case .useStored(let freshened, let isKept):
            guard let entry = lookup?.entry else { return deliver(head) }
            confirmed = cache.freshen(entry, as: freshened, isKept: isKept, for: request.url)
            changesCache = true
            return .discard
        case .fetchAgain:
            fetchesAgain = true
            return .discard
        }
    }

    private func deliver(_ head: HTTPResponseHead) -> HTTPBodyDisposition {
        receiver?.didReceive(LatestResponse(head))
        return .deliver
    }

    func load(_ load: Load, didReceive bytes: UnsafeRawBufferPointer) -> HTTPBodyDisposition {
        if proposed != nil { keepCopy(of: bytes) }
        if let progress = load.codedProgress { receiver?.willReceive(progress) }
        receiver?.didReceive(bytes)
        return .deliver
    }

    /// Keeps a copy of the body for the cache, unless it is too long.
    private func keepCopy(of bytes: UnsafeRawBufferPointer) {
        guard let cache, copy.count + bytes.count <= cache.greatestBodyByteCount else {
            proposed = nil
            copy = Data()
            return
        }
        copy.append(contentsOf: bytes)
    }

    func load(_ load: Load, didFinishWith error: TransferError?) {
        guard source?.owns(load) == true else { return }
        source = nil
        if let error { return finish(URLError(error, url: URL(string: load.currentRequest.url))) }
        if let confirmed { return serve(confirmed, to: load.currentRequest) }
        if fetchesAgain { return start() }
        guard let proposed, let cache, let receiver,
            let response = cache.makeProposedResponse(proposed, data: copy)
        else { return finish(nil) }
        let url = load.currentRequest.url
        receiver.mayStore(response) { [self] chosen in
            cache.store(chosen, as: proposed, for: url)
            changesCache = true
            finish(nil)
        }
    }
}

/// The body of a request to a server, and how it is sent.
@LoopActor
enum RequestBody {
    /// At once, or not at all.
    case plain(Load.Body)
    /// As a resumable upload.
    case upload(Upload)

    /// An upload of a task.
    @LoopActor
    struct Upload {
        /// The body to send.
        var body: ResumableUpload.Body
        /// The resource that an earlier attempt has left on the server.
        var resource: UploadResource?
        /// The protocols to speak.
        var protocols: ResumableUpload.Protocols
        /// Called when the resource changes by which the upload can be resumed.
        var onChange: @LoopActor (UploadResource?) -> Void

        /// Returns the configuration of the upload.
        ///
        /// Brief interruptions are not reported: the server may make no progress for as long as a request may wait for
        /// data.
        func configuration(
            _ load: Load.Configuration,
            for request: TransferRequest
        ) -> ResumableUpload.Configuration {
            let isLimited = request.idleTimeout > 0 && request.idleTimeout < 1e9
            return ResumableUpload.Configuration(
                protocols: protocols,
                interruptions: .proceed(
                    Self.retryPolicy,
                    timeout: isLimited ? .seconds(request.idleTimeout) : nil
                ),
                load: load
            )
        }

        /// Short delays, because a user may be waiting.
        private static let retryPolicy = RetryPolicy(
            firstDelay: .milliseconds(200),
            maximumDelay: .seconds(10)
        )
    }
}
