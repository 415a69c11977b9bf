import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking

/// A loader that gets a response from an object of one of the app's protocol classes.
///
/// The object is given the response that is stored for its request, and says whether its own may be stored.
@LoopActor
final class ProtocolLoader: ResourceLoader {
    private let type: ProtocolClass
    private let request: URLRequest
    private let task: URLSessionTask
    /// The cache of the session; nil if this request does not use it.
    private let cache: ResponseCache?
    private let policy: CachePolicy
    private weak var receiver: (any ResourceReceiver)?
    private let instance = ProtocolInstance()
    private var isPaused = false
    private var hasEnded = false
    private var hasResponse = false
    /// The reports received while the loader was paused.
    private var held: [ProtocolClient.Report] = []
    /// The response that may be stored, and its body so far.
    private var proposed: (response: URLResponse, policy: URLCache.StoragePolicy)?
    private var copy = Data()

    init(
        _ type: ProtocolClass,
        _ request: URLRequest,
        of task: URLSessionTask,
        cache: ResponseCache?,
        policy: CachePolicy,
        receiver: any ResourceReceiver
    ) {
        self.type = type
        self.request = request
        self.task = task
        // RFC 9111 §3: only responses to GET are kept, as for requests to servers.
        self.cache = request.httpMethod ?? "GET" == "GET" ? cache : nil
        self.policy = policy
        self.receiver = receiver
    }

    func start() {
        guard let cache, policy.allowsStored else { return begin(with: nil) }
        cache.lookUp(request) { [weak self] in self?.begin(with: $0) }
    }

    private func begin(with stored: KeptResponse?) {
        guard !hasEnded else { return }
        instance.start(
            type,
            request,
            of: task,
            stored: stored,
            client: ProtocolClient { [weak self] in self?.take($0) }
        )
    }

    func pause() { isPaused = true }

    func resume() {
        isPaused = false
        while !isPaused, !hasEnded, !held.isEmpty { handle(held.removeFirst()) }
    }

    func cancel() {
        guard !hasEnded else { return }
        end()
    }

    private func take(_ report: ProtocolClient.Report) {
        guard !hasEnded else { return }
        if isPaused || !held.isEmpty { held.append(report) } else { handle(report) }
    }

    private func handle(_ report: ProtocolClient.Report) {
        switch report {
        case .response(let response, let policy):
            hasResponse = true
            copy = Data()
            proposed = cache == nil || policy == .notAllowed ? nil : (response, policy)
            receiver?.didReceive(LatestResponse(response))
        case .data(let data):
            guard hasResponse, !data.isEmpty else { return }
            if proposed != nil { keepCopy(of: data) }
            data.withUnsafeBytes { receiver?.didReceive($0) }
        case .redirect(let next, let response):
            let receiver = receiver
            end()
            receiver?.didRedirect(to: next, response)
        case .finished:
            guard hasResponse else { return finish(missingResponse) }
            store()
        case .failed(let error):
            finish(error)
        }
    }

    /// Keeps a copy of the body for the cache, unless it is too long.
    private func keepCopy(of data: Data) {
        guard let cache, copy.count + data.count <= cache.greatestBodyByteCount else {
            proposed = nil
            copy = Data()
            return
        }
        copy.append(data)
    }

    /// Stores the response if the class and the app's delegate allow it, and ends.
    private func store() {
        guard let proposed, let cache, let receiver, cache.greatestBodyByteCount > 0 else {
            return finish(nil)
        }
        let response = CachedURLResponse(
            response: proposed.response,
            data: copy,
            storagePolicy: proposed.policy
        )
        // What the object reports after its end does not count.
        instance.stop()
        receiver.mayStore(response) { [self] chosen in
            guard !hasEnded else { return }
            cache.store(chosen, for: request)
            cache.afterChanges { [self] in if !hasEnded { finish(nil) } }
        }
    }

    private var missingResponse: URLError {
        let reason = "The protocol class has finished without a response."
        return URLError(.badServerResponse, url: request.url, reason: reason)
    }

    private func finish(_ error: (any Error)?) {
        let receiver = receiver
        end()
        receiver?.didFinish(error)
    }

    /// Stops the object, which Apple's library does at its end, too.
    private func end() {
        hasEnded = true
        held = []
        receiver = nil
        instance.stop()
    }
}
