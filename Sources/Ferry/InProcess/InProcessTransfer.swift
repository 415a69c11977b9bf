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
    /// The gate to the network, which is passed before a request is sent.
    let gate: ConnectivityGate
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
        gate = engine.makeGate(for: content.decider.task)
        clock = ResourceClock(seconds: engine.configuration.timeoutIntervalForResource)
        machine = StateMachine(isPreparing: isPreparing)
        content.transfer = self
        gate.transfer = self
    }

    /// The task's priority among those that wait for a connection.
    var priority: Float { decider.task.priority }

    /// Whether the body waits because the task is suspended.
    var isPaused: Bool { machine.isPaused }

    // MARK: - Inputs from the app

    func resume() {
        let isJoining = machine.isIdle && content.join()
        run { $0.resume(isJoining: isJoining) }
    }

    func suspend() {
        let isLeaving = content.leave(isSharing: machine.isSharing)
        run { $0.suspend(isLeaving: isLeaving) }
    }

    func cancel(producingResumeData: Bool) {
        if !producingResumeData { content.discard() }
        run { $0.stop(.cancelled(producingResumeData: producingResumeData)) }
    }

    /// The app has read the data that the task held back.
    func appCaughtUp() { content.appCaughtUp() }

    /// The app has another address for the resource.
    func relink(to request: TransferRequest) { content.relink(to: request) }

    // MARK: - Inputs from the engine and the content

    /// A connection is available.
    func admitted() { run { $0.admitted() } }

    /// The content can be loaded now, or never.
    func prepared(isUsable: Bool) { run { $0.prepared(isUsable: isUsable) } }

    /// The content can be loaded, unless the task is suspended.
    func mayLoad() { run { $0.mayLoad() } }

    /// The load shared with other tasks is no longer this task's.
    func released() {
        content.continueAlone()
        run { $0.released() }
    }

    /// The connection of a shared load belongs to this task from now on.
    func inheritConnection() { machine.inheritConnection() }

    /// The content is complete or has failed.
    func finished() { run { $0.finished() } }

    /// The content has failed while its load goes on.
    func failed() { run { $0.stop(.content) } }

    /// The attempt has failed, and there is another one after a delay.
    func retries(after delay: Duration) { run { $0.retries(after: delay) } }

    /// The task was redirected and needs another connection.
    func redirected() { run { $0.redirected() } }

    /// The server's response says that the address has expired.
    func linkExpired() { run { $0.linkExpired() } }

    /// There is no other address for the resource.
    func keepsLink() { run { $0.retryTimePassed() } }

    /// Continues with another address, which `change` gives to the content.
    func relinks(_ change: () -> Void) {
        run { $0.leaveForLink() }
        change()
        content.continueAlone()
        run { $0.relinked() }
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

    /// Takes an input, and performs what follows.
    private func run(_ input: (inout StateMachine) -> Void) {
        input(&machine)
        guard machine.effects.begin() else { return }
        while let effect = machine.effects.next() { perform(effect) }
    }

    private func perform(_ effect: StateMachine.Effect) {
        switch effect {
        case .enterLine: enterLine()
        case .leaveLine: engine.leaveLine(self)
        case .waitForNetwork: waitForNetwork()
        case .load: content.load()
        case .stopLoading: content.stop()
        case .updateFlow: content.updateFlow()
        case .stop: stop()
        case .giveConnectionBack: giveConnectionBack()
        case .startClock:
            clock.start { [weak self] in
                guard let self else { return }
                run { $0.stop(.timedOut) }
            }
        case .stopClock: clock.stop()
        case .backOff(let delay): backOff(delay)
        case .askForLink:
            gate.cancel()
            content.askForLink()
        case .end(let ending): end(ending)
        }
    }

    private func waitForNetwork() {
        guard !content.mayNeedNoNetwork else { return mayLoad() }
        gate.pass { [weak self] in self?.mayLoad() }
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
        guard let heir = content.heir else { return engine.takeBack(connectionTo: host) }
        heir.inheritConnection()
    }

    private func backOff(_ delay: Duration) {
        gate.cancel()
        content.continueAlone()
        retryTimer = EventLoop.shared.schedule(after: delay) { [weak self] in
            guard let self else { return }
            run { $0.retryTimePassed() }
        }
    }

    private func end(_ ending: Ending) {
        gate.cancel()
        content.end(ending)
        engine.ended(self)
    }
}

extension InProcessTransfer: GatedTransfer {
    var canBeInterrupted: Bool { content.canBeInterrupted }

    func heldBack() { run { $0.heldBack() } }

    func calledBack() {
        let isJoining = machine.isBackingOff && content.join()
        run { $0.retryTimePassed(isJoining: isJoining) }
    }

    func networkIsForbidden(_ met: Conditions) { run { $0.stop(.networkForbidden(met)) } }
}

extension InProcessTransfer {
    /// The cause of a task's end.
    enum Ending: Hashable {
        /// The content is complete or has failed.
        case content
        /// The app has cancelled the task.
        case cancelled(producingResumeData: Bool)
        /// The resource timeout has expired.
        case timedOut
        /// The network is in conditions that the task avoids, and the task does not wait for another one.
        case networkForbidden(Conditions)
    }

    /// What a task loads: data for the app (``DataContent``), or a file (``DownloadContent``).
    @LoopActor
    protocol Content: AnyObject {
        /// The task's transfer, which is told what becomes of the content.
        var transfer: InProcessTransfer? { get set }
        var decider: TaskDecider { get }
        /// The host for which the next request's connection is counted; empty if it needs none.
        var host: String { get }
        /// The transfer that inherits the connection, because it shares what this one has loaded.
        var heir: InProcessTransfer? { get }
        /// Whether it is loaded before the gate is passed: it needs no network, or finds out itself if it does.
        var mayNeedNoNetwork: Bool { get }
        /// Whether a load that has begun can be stopped, and continued or made again later.
        var canBeInterrupted: Bool { get }

        /// Joins an equal request, or makes one that others can join.
        ///
        /// - Returns: Whether it has joined one, so that the task needs no connection.
        func join() -> Bool
        /// Makes the next requests for this task alone, and leaves those that others share.
        func continueAlone()
        /// Prepares to be suspended.
        ///
        /// - Parameter isSharing: Whether another task makes the request.
        /// - Returns: Whether it can stop loading and continue later; otherwise its body is paused.
        func leave(isSharing: Bool) -> Bool
        /// Starts to load, or continues.
        func load()
        /// Pauses the body, or continues it.
        func updateFlow()
        /// Stops loading; what can be continued later is kept.
        func stop()
        /// Discards what a server has kept of the content; the app will not continue it.
        func discard()
        /// Delivers the end of the task to the app; the last call.
        func end(_ ending: Ending)

        /// The app has read the data that was held back.
        func appCaughtUp()
        /// The app has another address for the resource, without being asked.
        func relink(to request: TransferRequest)
        /// Asks the app for another address in place of one that has expired.
        func askForLink()
    }
}

/// The resource timeout of a task, which runs only while the task does.
@LoopActor
struct ResourceClock {
    /// The time that is left, without what has passed since the clock was started; nil for no limit.
    private(set) var remaining: Duration?
    private var started: ContinuousClock.Instant?
    private var timer: LoopTimer?

    /// Creates a stopped clock.
    ///
    /// - Parameter seconds: The timeout; zero or less, or 1e9 or more, means no limit.
    init(seconds: Double) {
        remaining = seconds > 0 && seconds < 1e9 ? .seconds(seconds) : nil
    }

    mutating func start(
        at now: ContinuousClock.Instant = EventLoop.now,
        handler: @escaping @LoopActor () -> Void
    ) {
        guard let remaining, timer == nil else { return }
        started = now
        timer = EventLoop.shared.schedule(after: remaining, handler: handler)
    }

    /// Stops the clock; the time that has passed counts.
    mutating func stop(at now: ContinuousClock.Instant = EventLoop.now) {
        timer?.cancel()
        timer = nil
        if let remaining, let started { self.remaining = remaining - (now - started) }
        started = nil
    }
}
