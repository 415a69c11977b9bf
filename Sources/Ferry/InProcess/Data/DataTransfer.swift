import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// A data or upload task of a default or ephemeral session, on the event loop; also a download of something
/// that is not on a server.
@LoopActor
final class DataTransfer: InProcessTransfer {
    nonisolated let identifier: Int
    private(set) var host: String
    var place: WaitingLine.Place?
    var ownClient: HTTPClient?
    var client: HTTPClient? { (loader as? SharedLoader)?.client ?? ownClient }

    private(set) var specification: DataTaskSpecification
    let engine: InProcessEngine
    /// The destination of the body.
    var sink: Sink
    let decider: TaskDecider
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
    /// Whether the task was suspended when it was due to start.
    private var startIsDue = false
    private var machine = StateMachine()
    private var failure: (any Error)?
    /// When a resource that is not on a server began to load.
    private var servingStart: Date?
    private var clock: ResourceClock
    private let gate: ConnectivityGate

    init(
        task: URLSessionTask,
        sink: Sink,
        specification: DataTaskSpecification,
        engine: InProcessEngine
    ) {
        identifier = task.taskIdentifier
        self.sink = sink
        self.specification = specification
        self.engine = engine
        let decider = TaskDecider(task: task, engine: engine)
        self.decider = decider
        gate = decider.makeGate(for: task.originalRequest?.url)
        clock = ResourceClock(seconds: engine.configuration.timeoutIntervalForResource)
        host = specification.host
        uploadResource = specification.resumption?.resource
    }

    /// The end of a response.
    struct End {
        var error: (any Error)?
    }

    var task: URLSessionTask { decider.task }

    var priority: Float { decider.task.priority }

    // MARK: - Inputs

    func resume() {
        run(machine.resume(isJoining: machine.isIdle && joinSharedLoad()))
        guard startIsDue, !machine.isPaused else { return }
        startIsDue = false
        start()
    }

    func suspend() {
        let isLeaving = loader is SharedLoader && leaveSharedLoad(isSharing: machine.isSharing)
        run(machine.suspend(isLeaving: isLeaving))
    }

    /// The request shared with other tasks is no longer this task's.
    func released() {
        loader = nil
        isAlone = true
        run(machine.released())
    }

    func cancel(producingResumeData: Bool) {
        if !producingResumeData { terminateUpload() }
        stop(URLError(.cancelled, url: task.currentRequest?.url, reason: "The task was cancelled."))
    }

    func admitted() { run(machine.admitted()) }

    /// Ends the task with an error.
    func stop(_ error: any Error) {
        guard !machine.hasEnded else { return }
        failure = error
        run(machine.stop())
    }

    /// The app reads the body more slowly than it arrives, or has caught up.
    func holdBack(_ isHeldBack: Bool) {
        self.isHeldBack = isHeldBack
        updateFlow()
    }

    // MARK: - Effects

    private func run(_ effects: [StateMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .enterLine: enterLine()
            case .leaveLine: engine.leaveLine(self)
            case .start: gate.pass { [weak self] in self?.start() }
            case .updateFlow: updateFlow()
            case .stop:
                loader?.cancel()
                loader = nil
            case .giveConnectionBack: engine.giveConnectionBack(of: self)
            case .startClock: clock.start { [weak self] in self?.timeRanOut() }
            case .stopClock: clock.stop()
            case .end: end()
            }
        }
    }

    private func enterLine() {
        // A redirect may lead to another host.
        host = specification.host
        engine.enterLine(self)
    }

    /// Pauses the body while the app is asked or is too slow, or the task is suspended.
    func updateFlow() {
        if isAsking || isHeldBack || machine.isPaused { loader?.pause() } else { loader?.resume() }
    }

    private func start() {
        guard !machine.isPaused else {
            startIsDue = true
            return
        }
        if let loader {
            updateFlow()
            return loader.start()
        }
        LoopActor.task { [self] in
            do throws(URLError) {
                let loader = try await makeLoader()
                guard !machine.hasEnded else { return }
                self.loader = loader
                if specification.isServedHere { servingStart = Date() }
                // It may have been suspended meanwhile.
                start()
            } catch {
                didFinish(error)
            }
        }
    }

    /// Records the end of a load without a server; for any other load, the response is not made here.
    private func endServing(_ response: @autoclosure () -> URLResponse?) {
        guard let start = servingStart else { return }
        servingStart = nil
        decider.noteServed(task.currentRequest, response: response(), since: start)
    }

    private func timeRanOut() {
        let seconds = engine.configuration.timeoutIntervalForResource
        stop(
            URLError(
                .timedOut,
                url: task.currentRequest?.url,
                reason: "The task was not done after \(seconds) seconds."
            )
        )
    }

    private func end() {
        gate.cancel()
        loader?.cancel()
        loader = nil
        endServing(task.response)
        deliverEnd(addingResumeData(to: failure))
        engine.ended(self)
    }
}

// MARK: - The answer

extension DataTransfer: ResourceReceiver {
    func didReceive(_ response: LatestResponse) {
        guard !machine.hasEnded else { return }
        guard sink.isToldOfResponse else { return task.noteAnswer(response) }
        var response = response
        // Made once: the task and the delegate get the same object.
        let shown = response.get()
        task.noteAnswer(response)
        if let shown { respond(shown) }
    }

    func didReceive(_ bytes: UnsafeRawBufferPointer) {
        guard !machine.hasEnded else { return }
        do throws(URLError) {
            try take(bytes)
        } catch {
            stop(error)
        }
    }

    func didRedirect(to request: URLRequest, _ response: URLResponse) {
        guard !machine.hasEnded else { return }
        loader = nil
        endServing(response)
        guard decider.redirectCount < RedirectPolicy().maximumCount else {
            return didFinish(URLError(.httpTooManyRedirects, url: task.currentRequest?.url))
        }
        // A redirect must not lead to a resource of this machine.
        guard !request.isLocal else {
            return didFinish(URLError(.unsupportedURL, url: request.url))
        }
        decider.mayRedirect(to: request, response) { [self] next in
            guard !machine.hasEnded else { return }
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
            guard !machine.hasEnded else { return }
            isAlone = true
            run(machine.redirected())
        } catch {
            didFinish(error)
        }
    }

    /// Returns whether the task waits for the network, which was missing for its first request.
    private func waitsForNetwork(after error: (any Error)?) -> Bool {
        guard (error as? URLError)?.code == .notConnectedToInternet, task.response == nil
        else { return false }
        // A member of a shared request has no connection of its own, and enters the line for one.
        let isSharing = machine.isSharing
        let waits = gate.passAfterChange { [weak self] in
            if isSharing { self?.released() } else { self?.start() }
        }
        guard waits else { return false }
        loader?.cancel()
        loader = nil
        isAlone = true
        return true
    }

    /// Delivers the redirect response as the result, without a body.
    private func finishRedirected(_ response: URLResponse) {
        didReceive(LatestResponse(response))
        didFinish(nil)
    }

    func didFinish(_ error: (any Error)?) {
        guard !machine.hasEnded else { return }
        guard !isAsking else {
            pendingEnd = End(error: error)
            return
        }
        guard !waitsForNetwork(after: error) else { return }
        // An upload that was answered has nothing left to resume.
        if error == nil { uploadResource = nil }
        failure = error ?? finishSink()
        run(machine.finished())
    }
}
