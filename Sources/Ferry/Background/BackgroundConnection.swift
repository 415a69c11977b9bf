import FerrySystem
import FerryWire
import Foundation
@preconcurrency import Glibc
import Synchronization

/// The connection of a background session to the daemon, over which it sends its calls.
///
/// Calls can be made on any thread. When they return, they are in the daemon or in its socket; only a task that is
/// not resumed yet may follow a moment later. A daemon that has died is started again, and the calls that it has not
/// acknowledged are repeated: no call is lost as long as this process lives.
final class BackgroundConnection: Sendable {
    /// The callbacks of a connection; called on the loop.
    struct Observer: Sendable {
        /// The session is open: its events can be subscribed to.
        var didOpen: @LoopActor @Sendable (Opened) -> Void
        /// Calls can be sent.
        var isReady: @LoopActor @Sendable () -> Void
        /// The session is unavailable; its tasks fail.
        var didFail: @LoopActor @Sendable (URLError) -> Void
        /// Whether the session needs the daemon.
        var wantsConnection: @Sendable () -> Bool
    }

    /// A session that the daemon has opened.
    struct Opened: Hashable, Sendable {
        /// Its number in the daemon.
        let session: Int64
        /// The token that proves that the session is this process's, where the daemon cannot see that.
        let token: String?
        /// The attempt to connect that has opened it.
        let attempt: Int
    }

    /// The dependencies of a connection.
    struct Environment: Sendable {
        /// Connects to the daemon, starting it if necessary; blocks.
        var connect: @Sendable () throws(DaemonError) -> FileDescriptor
        /// How the session is opened.
        var opening: @Sendable () -> Wire.OpenSession
        /// How long the first tasks wait for the session to be opened for the first time.
        var patience = Duration.seconds(10)
    }

    private struct State {
        var machine = StateMachine()
        var client: VarlinkClient?
        var observer: Observer?
        /// The threads that wait for the session to be opened for the first time.
        var waiting: [DispatchSemaphore] = []
    }

    private let environment: Environment
    /// Connecting blocks for as long as it takes to start a process.
    private let queue = BlockingQueue(label: "ferry.background")
    private let state = Mutex(State())

    init(environment: Environment) { self.environment = environment }

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

    /// The events of the session of that number are being received.
    func subscribed(to number: Int64) { input { $0.subscribed(to: number) } }

    /// The daemon has reported something about a task.
    func wasUseful() { state.withLock { $0.machine.wasUseful() } }

    /// Connects to the daemon once more, for events, which have a separate connection.
    ///
    /// - Parameters:
    ///   - opened: The session, which is opened again if that fails.
    ///   - continuation: Called if it succeeds.
    func connectForEvents(
        of opened: Opened,
        then continuation: @escaping @LoopActor @Sendable (VarlinkClient) -> Void
    ) {
        queue.perform { [weak self] in
            // A daemon that has ended is not started for events alone.
            guard let self, state.withLock({ $0.machine.hasOpen(opened.attempt) }) else { return }
            do throws(DaemonError) {
                let client = VarlinkClient(try environment.connect())
                LoopActor.perform { continuation(client) }
            } catch {
                LoopActor.perform { self.lost(opened.attempt) }
            }
        }
    }
}

// MARK: - Tasks

extension BackgroundConnection {
    /// Prepares for a new task, whose number follows that of the previous task.
    ///
    /// Waits until the session is open or has failed to open; does not wait if it was open before. All tasks together wait
    /// for ``Environment/patience`` at most.
    func prepareForTask() {
        var wait: (semaphore: DispatchSemaphore, deadline: ContinuousClock.Instant)?
        decide { machine, waiting in
            let (deadline, effects) = machine.prepareForTask(
                now: .now,
                patience: environment.patience
            )
            if let deadline {
                let semaphore = DispatchSemaphore(value: 0)
                waiting.append(semaphore)
                wait = (semaphore, deadline)
            }
            return effects
        }
        guard let wait else { return }
        _ = wait.semaphore.wait(timeout: .now() + (wait.deadline - .now) / .seconds(1))
    }

    /// Returns a new task's number, and why the daemon cannot accept the task, if so.
    func reserveTask() -> (identifier: Int, refusal: URLError?) {
        state.withLock { $0.machine.reserveTask() }
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
    func call(
        _ call: BackgroundCall,
        onRefusal: (@Sendable (TransferDaemonError) -> Void)? = nil
    ) {
        input { $0.add(call, onRefusal: onRefusal) }
    }

    /// Acknowledges an event that the app has received.
    ///
    /// - Parameters:
    ///   - sequence: The event's number.
    ///   - number: The number of the session that it came from.
    func acknowledge(_ sequence: Int64, ofSession number: Int64) {
        input { $0.acknowledge(sequence, of: number) }
    }

    /// Sends a query, which changes nothing; fails if there is no connection now.
    func query<Method: TransferMethod>(
        _ method: Method,
        onReply: @escaping @LoopActor @Sendable (Result<Method.Reply, CallError>) -> Void
    ) {
        let client = state.withLock { $0.machine.isOpen ? $0.client : nil }
        if let client {
            client.call(method, onReply: onReply)
        } else {
            LoopActor.perform { onReply(.failure(.connectionClosed(reason: "there is none"))) }
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
    private func input(_ input: (inout StateMachine) -> [StateMachine.Effect]) {
        decide { machine, _ in input(&machine) }
    }

    private func decide(
        _ decision: (inout StateMachine, inout [DispatchSemaphore]) -> [StateMachine.Effect]
    ) {
        let completed = state.withLock { state in
            var completed: [@Sendable () -> Void] = []
            for effect in decision(&state.machine, &state.waiting) {
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
            disconnect(&state)
            connect(attempt, after: delay)
        case .disconnect:
            disconnect(&state)
        case .send(let entry, let session, let attempt):
            guard let client = state.client else { break }
            entry.call.send(over: client, session: session) { [weak self] error in
                self?.input { $0.answered(entry.number, attempt: attempt, error) }
            }
        case .register:
            state.client?.call(environment.opening()) { _ in }
        case .sendKept:
            LoopActor.perform { [self] in input { $0.sendKept() } }
        case .open(let file, let mayExceed):
            file.open(mayExceed: mayExceed) { [weak self] in
                LoopActor.perform { self?.input { $0.sendKept() } }
            }
        case .endWaiting:
            for semaphore in state.waiting { semaphore.signal() }
            state.waiting = []
        case .notify(let notification):
            notify(state.observer, of: notification)
        case .report(let error):
            Diagnostics.reportOnce(error.message)
        case .complete(let continuations):
            return continuations
        }
        return []
    }

    private func disconnect(_ state: inout State) {
        state.client?.close()
        state.client = nil
    }

    private func notify(_ observer: Observer?, of notification: StateMachine.Notification) {
        guard let observer else { return }
        LoopActor.perform {
            switch notification {
            case .didOpen(let opened): observer.didOpen(opened)
            case .isReady: observer.isReady()
            case .didFail(let error): observer.didFail(error)
            }
        }
    }

    private func connect(_ attempt: Int, after delay: Duration) {
        guard delay > .zero else {
            return queue.perform { [weak self] in self?.connectNow(attempt) }
        }
        LoopActor.perform { [weak self] in
            _ = EventLoop.shared.schedule(after: delay) {
                guard let self else { return }
                self.queue.perform { self.connectNow(attempt) }
            }
        }
    }

    private func connectNow(_ attempt: Int) {
        guard state.withLock({ $0.machine.isCurrent(attempt) }) else { return }
        do throws(DaemonError) {
            let client = VarlinkClient(try environment.connect()) { [weak self] _ in
                self?.lost(attempt)
            }
            let isCurrent = state.withLock { state in
                guard state.machine.isCurrent(attempt) else { return false }
                state.client = client
                return true
            }
            guard isCurrent else { return }
            client.call(environment.opening()) { [weak self] result in
                self?.opened(attempt, result)
            }
        } catch {
            let failure = TransferDaemonError(error)
            let isPassing = error.isShortage
            input {
                $0.openingFailed(isPassing ? .busy(failure) : .unavailable(failure), attempt: attempt)
            }
        }
    }

    @LoopActor
    private func opened(_ attempt: Int, _ result: Result<Wire.OpenSession.Reply, CallError>) {
        switch result {
        case .success(let reply):
            input { machine in
                machine.opened(
                    attempt: attempt,
                    session: reply.session,
                    nextTaskIdentifier: reply.nextTaskIdentifier,
                    token: reply.token,
                    mergesAcknowledgements: reply.takesOtherSequences ?? false,
                    now: EventLoop.now
                )
            }
        case .failure(let error):
            input { $0.openingFailed(.init(error), attempt: attempt) }
        }
    }

    /// A connection of an attempt, for calls or for events, is closed.
    @LoopActor
    func lost(_ attempt: Int) {
        let observer = state.withLock { $0.machine.isCurrent(attempt) ? $0.observer : nil }
        // Not under the lock: it asks the session.
        let isWanted = observer?.wantsConnection() ?? false
        input { $0.lost(attempt: attempt, isWanted: isWanted, now: EventLoop.now) }
    }
}

extension BackgroundConnection.StateMachine.OpeningFailure {
    fileprivate init(_ error: CallError) {
        switch error {
        case .refused(.sessionInUse(_, let pid)):
            let isOver = pid == getpid() || kill(pid, 0) != 0 && errno == ESRCH
            self = .inUse(pid: pid, isOver: isOver)
        case .refused(.limitExceeded), .refused(.resourceUnavailable):
            self = .busy(TransferDaemonError(error))
        case .connectionClosed:
            self = .disconnected
        default:
            self = .unavailable(TransferDaemonError(error))
        }
    }
}
