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
    let host: String
    var place: WaitingLine.Place?
    var client: HTTPClient?

    let order: DataOrder
    let engine: InProcessEngine
    /// Where the body goes.
    var sink: Sink
    let decider: TaskDecider
    var loader: (any ResourceLoader)?
    /// The app is asked what to do about the response.
    var isAsking = false
    /// How the answer has ended while the app was asked.
    var pendingEnd: (error: (any Error)?, isThere: Bool) = (nil, false)
    private var isHeldBack = false
    private var machine = StateMachine()
    private var failure: (any Error)?
    private var clock: ResourceClock

    init(task: URLSessionTask, sink: Sink, order: DataOrder, engine: InProcessEngine) {
        identifier = task.taskIdentifier
        self.sink = sink
        self.order = order
        self.engine = engine
        decider = TaskDecider(task: task, engine: engine)
        clock = ResourceClock(seconds: engine.configuration.timeoutIntervalForResource)
        switch order.resource {
        case .http(let request): host = Origin(url: request.url)?.description ?? request.url
        case .local: host = ""
        }
    }

    var task: URLSessionTask { decider.task }

    var priority: Float { decider.task.priority }

    // MARK: - Inputs

    func resume() { run(machine.resume()) }

    func suspend() { run(machine.suspend()) }

    func cancel(producingResumeData: Bool) {
        stop(URLError(.cancelled, url: task.currentRequest?.url, reason: "The task was cancelled."))
    }

    func admitted() { run(machine.admitted()) }

    /// Ends the task with an error.
    func stop(_ error: any Error) {
        guard !machine.hasEnded else { return }
        failure = error
        run(machine.stop())
    }

    /// The app takes the body more slowly than it comes, or has caught up.
    func holdBack(_ isHeldBack: Bool) {
        self.isHeldBack = isHeldBack
        updateFlow()
    }

    // MARK: - Effects

    private func run(_ effects: [StateMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .enterLine: engine.enterLine(self)
            case .leaveLine: engine.leaveLine(self)
            case .start: start()
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

    /// The body waits while somebody wants that.
    func updateFlow() {
        if isAsking || isHeldBack || machine.isPaused { loader?.pause() } else { loader?.resume() }
    }

    private func start() {
        LoopActor.task { [self] in
            do throws(URLError) {
                let loader = try await makeLoader()
                guard !machine.hasEnded else { return }
                self.loader = loader
                updateFlow()
                loader.start()
            } catch {
                didFinish(error)
            }
        }
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
        loader = nil
        deliverEnd(failure)
        engine.ended(self)
    }
}

// MARK: - The answer

extension DataTransfer: ResourceReceiver {
    func didReceive(_ response: LatestResponse) {
        guard !machine.hasEnded else { return }
        var response = response
        task.noteAnswer(response)
        guard let shown = response.get() else { return }
        respond(shown)
    }

    func didReceive(_ bytes: UnsafeRawBufferPointer) {
        guard !machine.hasEnded else { return }
        do throws(URLError) {
            try take(bytes)
        } catch {
            stop(error)
        }
    }

    func didFinish(_ error: (any Error)?) {
        guard !machine.hasEnded else { return }
        guard !isAsking else {
            pendingEnd = (error, true)
            return
        }
        failure = error ?? finishSink()
        run(machine.finished())
    }
}
