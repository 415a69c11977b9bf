import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation

/// A task of a default or ephemeral session, on the event loop: its turn for a connection, its clocks, the network that
/// it waits for, and its end.
///
/// What it loads, data or a file, is its ``Content``.
@LoopActor
final class InProcessTransfer {
    /// The task's identifier.
    let identifier: Int
    /// The decider about the task's requests.
    let decider: TaskDecider
    /// The host for which connections are counted.
    private(set) var host: String
    /// Where the task stands in line, if it does.
    var place: WaitingLine.Place?
    private let content: any Content
    private let engine: InProcessEngine
    private var machine: StateMachine
    private var clock: ResourceClock
    private let gate: ConnectivityGate
    /// The timer for the next attempt.
    private var retryTimer: LoopTimer?

    /// Creates the transfer of a task that was not resumed yet.
    ///
    /// - Parameters:
    ///   - content: What the task loads.
    ///   - isPreparing: Whether the content can be loaded only after ``prepared(isUsable:)``.
    init(_ content: any Content, isPreparing: Bool = false) {
        self.content = content
        decider = content.decider
        engine = content.decider.engine
        identifier = content.decider.task.taskIdentifier
        host = content.host
        gate = content.decider.makeGate(for: content.decider.task.originalRequest?.url)
        clock = ResourceClock(seconds: engine.configuration.timeoutIntervalForResource)
        machine = StateMachine(isPreparing: isPreparing)
        content.transfer = self
    }

    /// The task's priority among those that wait for a connection.
    var priority: Float { decider.task.priority }

    /// The client that has sent the latest requests.
    var client: HTTPClient? { content.client }

    /// Whether the body waits because the task is suspended.
    var isPaused: Bool { machine.isPaused }

    // MARK: - Inputs from the app

    func resume() { run(machine.resume(isJoining: machine.isIdle && content.join())) }

    func suspend() {
        run(machine.suspend(isLeaving: content.leave(isSharing: machine.isSharing)))
    }

    func cancel(producingResumeData: Bool) {
        if !producingResumeData { content.discard() }
        run(machine.stop(.cancelled(producingResumeData: producingResumeData)))
    }

    /// The app has read the data that the task held back.
    func appCaughtUp() { content.appCaughtUp() }

    /// The app has another address for the resource.
    func relink(to request: TransferRequest) { content.relink(to: request) }

    // MARK: - Inputs from the engine and the content

    /// A connection is available.
    func admitted() { run(machine.admitted()) }

    /// The content can be loaded now, or never.
    func prepared(isUsable: Bool) { run(machine.prepared(isUsable: isUsable)) }

    /// The content can be loaded, unless the task is suspended.
    func mayLoad() { run(machine.mayLoad()) }

    /// The load shared with other tasks is no longer this task's.
    func released() {
        content.continueAlone()
        run(machine.released())
    }

    /// The connection of a shared load belongs to this task from now on.
    func inheritConnection() { machine.inheritConnection() }

    /// The content is complete or has failed.
    func finished() { run(machine.finished()) }

    /// The content has failed while its load goes on.
    func failed() { run(machine.stop(.content)) }

    /// The attempt has failed, and there is another one after a delay.
    func retries(after delay: Duration) { run(machine.retries(after: delay)) }

    /// The task was redirected and needs another connection.
    func redirected() { run(machine.redirected()) }

    /// The server's response says that the address has expired.
    func linkExpired() { run(machine.linkExpired()) }

    /// There is no other address for the resource.
    func keepsLink() { run(machine.retryTimePassed()) }

    /// Continues with another address, which `change` gives to the content.
    func relinks(_ change: () -> Void) {
        run(machine.leaveForLink())
        change()
        content.continueAlone()
        run(machine.relinked())
    }

    /// Loads again when the network is available, after an attempt that found none.
    ///
    /// - Returns: Whether the session waits for the network.
    func waitsForNetwork() -> Bool {
        // A task that shares a load has no connection of its own, and enters the line for one.
        let isSharing = machine.isSharing
        let waits = gate.passAfterChange { [weak self] in
            if isSharing { self?.released() } else { self?.mayLoad() }
        }
        if waits { content.continueAlone() }
        return waits
    }

    // MARK: - Effects

    private func run(_ effects: [StateMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .enterLine: enterLine()
            case .leaveLine: engine.leaveLine(self)
            case .waitForNetwork: gate.pass { [weak self] in self?.mayLoad() }
            case .load: content.load()
            case .updateFlow: content.updateFlow()
            case .stop: stop()
            case .giveConnectionBack: giveConnectionBack()
            case .startClock:
                clock.start { [weak self] in
                    guard let self else { return }
                    run(machine.stop(.timedOut))
                }
            case .stopClock: clock.stop()
            case .backOff(let delay): backOff(delay)
            case .askForLink: content.askForLink()
            case .end(let ending): end(ending)
            }
        }
    }

    private func enterLine() {
        // Another address, or a redirect, may lead to another host.
        host = content.host
        engine.enterLine(self)
    }

    private func stop() {
        gate.cancel()
        retryTimer?.cancel()
        content.stop()
    }

    /// Passes the connection to a task that still wants a shared response, or gives it back.
    private func giveConnectionBack() {
        guard let heir = content.heir else { return engine.giveConnectionBack(of: self) }
        heir.inheritConnection()
    }

    private func backOff(_ delay: Duration) {
        content.continueAlone()
        retryTimer = EventLoop.shared.schedule(after: delay) { [weak self] in
            guard let self else { return }
            run(machine.retryTimePassed())
        }
    }

    private func end(_ ending: Ending) {
        gate.cancel()
        content.end(ending)
        engine.ended(self)
    }
}
