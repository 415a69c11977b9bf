import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// What a data or upload task of a default or ephemeral session loads, on the event loop; also what a download
/// task loads of something that is not on a server.
@LoopActor
final class DataContent: InProcessTransfer.Content {
    weak var transfer: InProcessTransfer?
    let decider: TaskDecider
    private(set) var specification: DataTaskSpecification
    /// The destination of the body.
    var sink: Sink
    var loader: (any ResourceLoader)?
    /// Whether the app is being asked how to proceed with the response.
    var isAsking = false
    /// The end of the response, if it ended while the app was being asked.
    var pendingEnd: End?
    /// The server's resource for the upload, by which it can be resumed.
    var uploadResource: UploadResource?
    /// The file of the upload, as it was when the upload began.
    var uploadFile: FileIdentity?
    /// Whether the task makes requests of its own only.
    private(set) var isAlone = false
    private var isHeldBack = false
    /// How much of a body that is decoded has arrived.
    private(set) var coded: CodedProgress?
    private var hasEnded = false
    private var failure: (any Error)?
    /// When a resource that is not on a server began to load.
    private var servingStart: Date?

    init(_ specification: DataTaskSpecification, into sink: Sink, decider: TaskDecider) {
        self.specification = specification
        self.sink = sink
        self.decider = decider
        uploadResource = specification.resumption?.resource
    }

    /// The end of a response.
    struct End {
        var error: (any Error)?
    }

    var task: URLSessionTask { decider.task }
    var engine: InProcessEngine { decider.engine }
    var host: String { specification.host }
    /// No other task needs the connection: a shared request ends with its first task, or goes on without it.
    var heir: InProcessTransfer? { nil }

    /// The cache may have the response, and what is on this machine or in the app needs no network.
    var mayNeedNoNetwork: Bool { specification.isServedHere || usesCache && engine.cache != nil }

    /// Before there is a response, and unless the server might get the request twice that must not be repeated.
    var canBeInterrupted: Bool {
        guard task.response == nil, case .http(let request) = specification.resource else {
            return false
        }
        if case .stream = specification.body { return false }
        return uploadResource != nil || HTTPExchange.isIdempotent(request.method)
    }

    // MARK: - Loading

    func load() {
        if let loader {
            updateFlow()
            return loader.start()
        }
        LoopActor.task { [self] in
            do throws(URLError) {
                let loader = try await makeLoader()
                guard !hasEnded else { return }
                self.loader = loader
                if specification.isServedHere { servingStart = Date() }
                // The task may have been suspended meanwhile.
                transfer?.mayLoad()
            } catch {
                didFinish(error)
            }
        }
    }

    func stop() {
        loader?.cancel()
        loader = nil
    }

    func continueAlone() {
        stop()
        isAlone = true
    }

    /// The app reads the body more slowly than it arrives, or has caught up.
    func holdBack(_ isHeldBack: Bool) {
        self.isHeldBack = isHeldBack
        updateFlow()
    }

    func appCaughtUp() { holdBack(false) }

    /// Pauses the body while the app is asked or is too slow, or the task is suspended.
    func updateFlow() {
        if isAsking || isHeldBack || transfer?.isPaused == true {
            loader?.pause()
        } else {
            loader?.resume()
        }
    }

    /// Records the end of a load without a server; for any other load, the response is not made here.
    private func endServing(_ response: @autoclosure () -> URLResponse?) {
        guard let start = servingStart else { return }
        servingStart = nil
        decider.recordServed(task.currentRequest, response: response(), since: start)
    }

    // MARK: - The end

    /// Ends the task with an error.
    func fail(_ error: any Error) {
        failure = error
        transfer?.failed()
    }

    func end(_ ending: InProcessTransfer.Ending) {
        hasEnded = true
        stop()
        endServing(task.response)
        deliverEnd(addingResumeData(to: error(of: ending)))
    }

    private func error(of ending: InProcessTransfer.Ending) -> (any Error)? {
        let url = task.currentRequest?.url
        switch ending {
        case .content: return failure
        case .cancelled: return URLError(.cancelled, url: url, reason: "The task was cancelled.")
        case .timedOut:
            let seconds = engine.configuration.timeoutIntervalForResource
            let reason = "The task was not done after \(seconds) seconds."
            return URLError(.timedOut, url: url, reason: reason)
        case .networkForbidden(let met): return URLError.networkForbidden(.init(met), url: url)
        }
    }

    // MARK: - Other addresses

    /// Does nothing: data are loaded from where the task was made for.
    func relink(to request: TransferRequest) {}

    /// Does nothing, for the same reason.
    func askForLink() {}
}

// MARK: - The answer

extension DataContent: ResourceReceiver {
    func didReceive(_ response: LatestResponse) {
        guard !hasEnded else { return }
        coded = nil
        guard sink.takesResponse else { return task.recordAnswer(response) }
        var response = response
        // Made once: the task and the delegate get the same object.
        let shown = response.get()
        task.recordAnswer(response)
        if let shown { respond(shown) }
    }

    func willReceive(_ progress: CodedProgress) { coded = progress }

    func didReceive(_ bytes: UnsafeRawBufferPointer) {
        guard !hasEnded else { return }
        do throws(URLError) {
            try take(bytes)
        } catch {
            fail(error)
        }
    }

    func didRedirect(to request: URLRequest, _ response: URLResponse) {
        guard !hasEnded else { return }
        loader = nil
        endServing(response)
        let limit = task.transferOptions.maximumRedirects.map { max($0, 0) }
        guard decider.redirectCount < RedirectPolicy(maximumCount: limit).maximumCount else {
            return didFinish(
                URLError(
                    .httpTooManyRedirects,
                    url: task.currentRequest?.url,
                    reason: "too many HTTP redirects"
                )
            )
        }
        // A redirect must not lead to a resource of this machine.
        guard !request.isLocal else {
            return didFinish(
                URLError(
                    .unsupportedURL,
                    url: request.url,
                    reason: "A redirect must not lead to a resource of this machine."
                )
            )
        }
        decider.mayRedirect(to: request, response) { [self] next in
            guard !hasEnded else { return }
            guard let next else { return finishRedirected(response) }
            LoopActor.task { [self] in await follow(next) }
        }
    }

    /// Follows a redirect that an app's protocol object has reported.
    private func follow(_ request: URLRequest) async {
        let configuration = engine.configuration
        let task = task
        let madeFor = task.madeFor
        task.storage.withLock {
            $0.currentRequest = request.completed(by: configuration, madeFor: madeFor)
        }
        do throws(URLError) {
            // This calls the app's classes, which may block.
            specification = try await ProtocolClass.queue.run { () throws(URLError) in
                try DataTaskSpecification(
                    request,
                    body: .inRequest,
                    loadedBy: ProtocolClass(for: task, configuration: configuration),
                    configuration: configuration,
                    madeFor: madeFor
                )
            }
            guard !hasEnded else { return }
            isAlone = true
            transfer?.redirected()
        } catch {
            didFinish(error)
        }
    }

    /// Returns whether the task waits for the network, which was missing for its first request.
    private func waitsForNetwork(after error: (any Error)?) -> Bool {
        guard (error as? URLError)?.code == .notConnectedToInternet, task.response == nil
        else { return false }
        return transfer?.waitsForNetwork() ?? false
    }

    /// Delivers the redirect response as the result, without a body.
    private func finishRedirected(_ response: URLResponse) {
        didReceive(LatestResponse(response))
        didFinish(nil)
    }

    func didFinish(_ error: (any Error)?) {
        guard !hasEnded else { return }
        guard !isAsking else {
            pendingEnd = End(error: error)
            return
        }
        guard !waitsForNetwork(after: error) else { return }
        // An upload that was answered has nothing left to resume.
        if error == nil { uploadResource = nil }
        failure = error ?? finishSink()
        transfer?.finished()
    }
}

/// The sharing of equal requests that run at the same time.
extension DataContent {
    func join() -> Bool {
        guard canShare, decider.allowsSharing,
            case .http(let request) = specification.resource,
            specification.body.isInRequest,
            let identity = RequestIdentity(
                request,
                of: specification.request,
                configuration: engine.configuration,
                isDownload: false
            )
        else { return false }
        let (shared, isNew) = engine.sharedRequest(for: identity) { SharedLoad(leave: $0) }
        loader = SharedLoader(
            shared,
            isFirst: isNew,
            decider: decider,
            receiver: self,
            makeSource: { receiver throws(URLError) in
                try self.makeHTTPLoader(request, .plain(.none), for: receiver)
            },
            released: { self.transfer?.released() }
        )
        return !isNew
    }

    /// Leaves a shared request that has not been answered yet, or has the others leave it.
    func leave(isSharing: Bool) -> Bool {
        guard let shared = loader as? SharedLoader, shared.isJoinable else { return false }
        guard isSharing || !shared.hasStarted else {
            shared.releaseOthers()
            return false
        }
        return true
    }

    /// A task with a delegate of its own makes its own requests.
    private var canShare: Bool {
        switch sink {
        // An app that reads bytes one by one may pause for any length of time.
        case .file, .bytes: return false
        case .delegate, .memory: break
        }
        return !isAlone && task.storage.withLock { $0.delegate == nil }
    }
}
