import FerrySystem
import FerryWire
import Foundation
import Synchronization

/// A background session's part of the connection to the daemon, over which it sends its calls and gets its events.
///
/// The connection itself is the ``ProcessConnection``, which all sessions of the process share.
///
/// Calls can be made on any thread, and none waits. When they return, they are in the daemon or in its socket; only a task
/// that is not resumed yet, or one of a session that is not open yet, may follow a moment later. A daemon that has died is
/// started again, and the calls that it has not acknowledged are repeated: no call is lost as long as this process lives.
final class BackgroundConnection: Sendable {
    /// The callbacks of a connection; called on the loop.
    struct Observer: Sendable {
        /// The session is open: its events can be received.
        var didOpen: @LoopActor @Sendable (Opened) -> Void
        /// Calls can be sent.
        var isReady: @LoopActor @Sendable () -> Void
        /// The session is unavailable; its tasks with lower identifiers fail.
        ///
        /// A task may have been made since then, for which the session is opened again.
        var didFail: @LoopActor @Sendable (URLError, _ bound: Int) -> Void
        /// Whether the session needs the daemon.
        var wantsConnection: @Sendable () -> Bool
    }

    /// A session that the daemon has opened.
    struct Opened: Hashable, Sendable {
        /// Its number in the daemon.
        let session: Int64
        /// The attempt to connect that has opened it.
        let attempt: Int
    }

    /// The dependencies of a connection.
    struct Environment: Sendable {
        /// The connection of the process.
        var process: ProcessConnection
        /// How the session is opened.
        var opening: @Sendable () -> Wire.OpenSession
        /// Returns the number of the first task that is made before the daemon has said which numbers are free.
        var firstTaskIdentifier: @Sendable () -> Int = BackgroundConnection.unusedTaskIdentifier
    }

    /// Returns a number that no task of any session has had, without asking the daemon.
    ///
    /// One process at a time has a session open, and makes its tasks more slowly than one in a microsecond.
    static func unusedTaskIdentifier() -> Int {
        Int(max(Date().timeIntervalSince1970, 1) * 1_000_000)
    }

    private struct State {
        var machine = StateMachine()
        var link: ProcessConnection.Link?
        var observer: Observer?
    }

    private let environment: Environment
    private let state = Mutex(State())

    init(environment: Environment) { self.environment = environment }

    deinit { environment.process.release(self) }

    /// Connects for the first time.
    ///
    /// - Parameters:
    ///   - observer: The callbacks.
    ///   - isAwaited: Whether the daemon has started this process for the session's events.
    func start(_ observer: Observer, isAwaited: Bool = false) {
        state.withLock { $0.observer = observer }
        input { $0.start(isAwaited: isAwaited) }
    }

    /// Whether the session is unavailable, until the next task is made.
    var hasFailed: Bool { state.withLock { $0.machine.hasFailed } }

    /// Whether calls can be sent now.
    var isOpen: Bool { state.withLock { $0.machine.isOpen } }

    /// Opens the session again if it is open, to register how the program is started.
    func register() { input { $0.register() } }

    /// Connects if the daemon was not needed until now.
    func wake() { input { $0.wake() } }

    /// The daemon has reported something about a task.
    func wasUseful() { state.withLock { $0.machine.wasUseful() } }
}

// MARK: - Events

extension BackgroundConnection {
    /// Receives the events of an open session.
    ///
    /// - Parameters:
    ///   - opened: The session, which is opened again when its events end.
    ///   - handler: Called with each event.
    @LoopActor
    func receiveEvents(of opened: Opened, _ handler: @escaping @LoopActor (Wire.Event) -> Void) {
        let link = state.withLock { $0.machine.hasOpen(opened.attempt) ? $0.link : nil }
        guard let link else { return }
        environment.process.route(opened.session, of: self) { [weak self] event in
            guard let event else {
                self?.lost(opened.attempt)
                return
            }
            handler(event)
        }
        let method = Wire.ReceiveEvents(session: opened.session, stream: link.stream)
        link.calls.call(method) { [weak self] result in
            switch result {
            case .success: self?.input { $0.subscribed(to: opened.session) }
            case .failure: self?.lost(opened.attempt)
            }
        }
    }

    /// Has the daemon hold back the events of an open session, or send them again.
    func holdEvents(_ isHeld: Bool, of opened: Opened) {
        let link = state.withLock { $0.machine.hasOpen(opened.attempt) ? $0.link : nil }
        link?.calls.call(Wire.HoldEvents(session: opened.session, hold: isHeld)) { _ in }
    }
}

// MARK: - Tasks

extension BackgroundConnection {
    /// Prepares for a new task: a session that is unavailable is tried again.
    func prepareForTask() { input { $0.prepareForTask() } }

    /// Returns a new task's number, and why the daemon cannot accept the task, if so.
    func reserveTask() -> (identifier: Int, refusal: URLError?) {
        state.withLock { $0.machine.reserveTask(first: environment.firstTaskIdentifier) }
    }

    /// Records that a task has ended, even if the daemon has not acknowledged all calls about it.
    func taskEnded(_ task: Int) { state.withLock { $0.machine.taskEnded(task) } }
}

// MARK: - Calls

extension BackgroundConnection {
    /// Sends a call until the daemon has acknowledged it.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - onRefusal: Called on the loop if the daemon refuses permanently.
    func call(_ call: BackgroundCall, onRefusal: (@Sendable (TransferDaemonError) -> Void)? = nil) {
        input { $0.add(call, onRefusal: onRefusal) }
    }

    /// Acknowledges an event that the app has received.
    ///
    /// - Parameters:
    ///   - sequence: The event's number.
    ///   - number: The number of the session that it came from.
    ///   - path: Where the app has put the event's file, if it has said so.
    func acknowledge(_ sequence: Int64, ofSession number: Int64, path: String? = nil) {
        input { $0.acknowledge(sequence, of: number, path: path) }
    }

    /// Sends a query, which changes nothing; fails if there is no connection now.
    func query<Method: TransferMethod>(
        _ method: Method,
        onReply: @escaping @LoopActor @Sendable (Result<Method.Reply, CallError>) -> Void
    ) {
        let link = state.withLock { $0.machine.isOpen ? $0.link : nil }
        if let link {
            link.calls.call(method, onReply: onReply)
        } else {
            LoopActor.perform {
                onReply(.failure(.connectionClosed(reason: "there is no connection")))
            }
        }
    }

    /// Calls `continuation` when the daemon has acknowledged all calls so far, or the session is unavailable.
    func flush(then continuation: @escaping @Sendable () -> Void) {
        let isEmpty = state.withLock { $0.machine.wait(continuation) }
        if isEmpty { continuation() }
    }

    /// Closes the session in the daemon, then the connection.
    func close(then continuation: @escaping @Sendable () -> Void) {
        call(.close(cancelling: false))
        flush {
            self.state.withLock { $0.observer = nil }
            self.input { $0.close() }
            continuation()
        }
    }
}

// MARK: - Effects

extension BackgroundConnection {
    private func input(_ input: (inout StateMachine) -> Void) {
        let completed = state.withLock { state in
            var completed: [@Sendable () -> Void] = []
            input(&state.machine)
            guard state.machine.effects.begin() else { return completed }
            while let effect = state.machine.effects.next() {
                completed += perform(effect, &state)
            }
            return completed
        }
        for continuation in completed { continuation() }
    }

    /// Performs an effect under the lock under which it was decided, so that the daemon receives calls in order.
    ///
    /// Nothing here waits or calls the app.
    ///
    /// - Returns: The closures to call without the lock.
    private func perform(
        _ effect: StateMachine.Effect,
        _ state: inout State
    ) -> [@Sendable () -> Void] {
        switch effect {
        case .connect(let attempt, let delay):
            state.link = nil
            connect(attempt, after: delay)
        case .disconnect:
            state.link = nil
            LoopActor.perform { [environment, weak self] in
                if let self { environment.process.endRoute(of: self) }
            }
            environment.process.release(self)
        case .release(let session):
            // Nothing depends on the answer: the daemon releases the session with the connection, too.
            state.link?.calls.call(Wire.ReleaseSession(session: session)) { _ in }
        case .send(let entry, let session, let attempt):
            guard let link = state.link else { break }
            entry.call.send(over: link.calls, session: session) { [weak self] error in
                self?.input { $0.answered(entry.number, attempt: attempt, error) }
            }
        case .register:
            state.link?.calls.call(environment.opening()) { _ in }
        case .sendKept:
            LoopActor.perform { [self] in input { $0.sendKept() } }
        case .open(let file, let mayExceed):
            file.open(mayExceed: mayExceed) { [weak self] in
                LoopActor.perform { self?.input { $0.sendKept() } }
            }
        case .notify(let notification):
            notify(state.observer, of: notification)
        case .report(let error):
            Diagnostics.reportOnce(error.message)
        case .complete(let continuations):
            return continuations
        }
        return []
    }

    private func notify(_ observer: Observer?, of notification: StateMachine.Notification) {
        guard let observer else { return }
        LoopActor.perform {
            switch notification {
            case .didOpen(let opened): observer.didOpen(opened)
            case .isReady: observer.isReady()
            case .didFail(let error, let bound): observer.didFail(error, bound)
            }
        }
    }

    private func connect(_ attempt: Int, after delay: Duration) {
        let user = ProcessConnection.User(
            didConnect: { [weak self] in self?.connected($0, attempt) },
            didFail: { [weak self] failure in
                self?.input { $0.openingFailed(failure, attempt: attempt) }
            },
            didEnd: { [weak self] in self?.lost(attempt) }
        )
        environment.process.request(self, after: delay, user)
    }

    @LoopActor
    private func connected(_ link: ProcessConnection.Link, _ attempt: Int) {
        let isCurrent = state.withLock { state in
            guard state.machine.isCurrent(attempt) else { return false }
            state.link = link
            return true
        }
        guard isCurrent else { return }
        environment.process.endRoute(of: self)
        link.calls.call(environment.opening()) { [weak self] in self?.opened(attempt, link, $0) }
    }

    @LoopActor
    private func opened(
        _ attempt: Int,
        _ link: ProcessConnection.Link,
        _ result: Result<Wire.OpenSession.Reply, CallError>
    ) {
        switch result {
        case .success(let reply):
            // The session has ended while it was being opened, and the connection may go on.
            if hasFailed {
                link.calls.call(Wire.ReleaseSession(session: reply.session)) { _ in }
                return
            }
            input { machine in
                machine.opened(
                    attempt: attempt,
                    session: reply.session,
                    nextTaskIdentifier: reply.nextTaskIdentifier,
                    now: EventLoop.now
                )
            }
        case .failure(let error):
            input { $0.openingFailed(.init(error), attempt: attempt) }
        }
    }

    /// The connection of an attempt is lost, or the session's events have ended.
    @LoopActor
    func lost(_ attempt: Int) {
        let observer = state.withLock { $0.machine.isCurrent(attempt) ? $0.observer : nil }
        // Not under the lock: it asks the session.
        let isWanted = observer?.wantsConnection() ?? false
        input { $0.lost(attempt: attempt, isWanted: isWanted, now: EventLoop.now) }
    }
}
