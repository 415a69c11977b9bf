import FerrySystem
import FerryWire
import Foundation
import Synchronization

/// The connection of one background session to the daemon, over which it asks for things.
///
/// Calls come from any thread and are with the daemon, or in its socket, when they return; only a task that
/// is not resumed yet may follow a moment later. A daemon that
/// dies is started again and asked again for what it has not acknowledged: so nothing that was asked for is
/// lost, as long as this process lives.
final class BackgroundConnection: Sendable {
    struct State {
        enum Condition {
            /// Not connected, and nothing is wanted.
            case idle
            /// Connecting, or waiting to.
            case connecting
            /// The session is open, and its events are not received yet.
            ///
            /// Nothing is asked for before they are: what comes of it could be missed.
            case opening(Session)
            case open(Session)
            /// The session cannot be had; the next task tries again.
            case failed(URLError)
            case closed
        }

        struct Session: Sendable {
            let client: VarlinkClient
            /// The session's number on this connection.
            let number: Int64
            let since: ContinuousClock.Instant
        }

        var condition = Condition.idle
        /// The session's number when it was last open.
        var lastNumber: Int64?
        /// Counts attempts to connect: what an earlier one still brings about is ignored.
        var generation = 0
        var policy = ReconnectionPolicy()
        var outbox = Outbox()
        /// Whether the loop will send what is kept.
        var isSendingScheduled = false
        /// Whether the session has ever been open; from then on nobody waits for it.
        var hasOpened = false
        /// Whether the daemon has started this process for the session's events: then it has the
        /// session, whatever keeps it from opening it now, and this process waits for it.
        var isAwaited = false
        var nextTaskIdentifier = 1
        var nextRefusedTaskIdentifier = BackgroundConnection.firstRefusedTaskIdentifier
        var observer: Observer?
        /// The threads that wait for the session to be opened for the first time.
        var waiting: [DispatchSemaphore] = []
        /// Whether the daemon is to be told once more how the program is started.
        var registersAgain = false
        /// Keeps the client while it has not opened the session yet.
        var connectingClient: VarlinkClient?
    }

    /// Who is told of what becomes of the connection; on the loop.
    struct Observer: Sendable {
        /// The session is open under this number: its events can be subscribed to, with this token if there is one.
        var didOpen: @LoopActor @Sendable (Int64, String?) -> Void
        /// The daemon can be asked for things.
        var isReady: @LoopActor @Sendable () -> Void
        /// The session cannot be had, its tasks have no future.
        var didFail: @LoopActor @Sendable (URLError) -> Void
        /// Whether there is anything that the daemon is needed for.
        var wantsConnection: @Sendable () -> Bool
    }

    /// What the connection learns from outside.
    struct Environment: Sendable {
        /// Connects to the daemon, starting it if need be; blocks.
        var connect: @Sendable () throws(DaemonError) -> FileDescriptor
        /// How the session is opened.
        var opening: @Sendable () -> Wire.OpenSession
        /// How long a task waits for the session to be opened for the first time.
        var patience = Duration.seconds(10)
    }

    /// Tasks that could not be handed to the daemon have numbers that it never gives out.
    static let firstRefusedTaskIdentifier = 1 << 40

    let environment: Environment
    /// Connecting blocks for as long as it takes to start a process.
    let queue: BlockingQueue
    let state = Mutex(State())

    init(environment: Environment) {
        self.environment = environment
        queue = BlockingQueue(label: "ferry.background")
    }

    /// Connects for the first time.
    ///
    /// - Parameters:
    ///   - observer: Who is told of what becomes of it.
    ///   - isAwaited: Whether the daemon has started this process for the session's events.
    func start(_ observer: Observer, isAwaited: Bool = false) {
        state.withLock { state in
            state.observer = observer
            state.isAwaited = isAwaited
            connect(&state)
        }
    }

    /// Whether the session cannot be had, until a task is made the next time.
    var hasFailed: Bool {
        state.withLock { state in
            switch state.condition {
            case .failed, .closed: true
            case .idle, .connecting, .opening, .open: false
            }
        }
    }

    /// Whether there is a connection now.
    var isOpen: Bool {
        state.withLock { state in
            guard case .open = state.condition else { return false }
            return true
        }
    }

    /// Opens the session once more where it is open, to say anew how the program is started.
    func register() {
        state.withLock { state in
            switch state.condition {
            case .open(let session), .opening(let session): register(over: session)
            case .connecting: state.registersAgain = true
            case .idle, .failed, .closed: break
            }
        }
    }

    /// Opens a session that this process has open, which changes nothing but what is said of the program.
    func register(over session: State.Session) {
        session.client.call(environment.opening()) { _ in }
    }

    /// Connects if the daemon was not needed until now.
    func wake() {
        state.withLock { state in
            if case .idle = state.condition { connect(&state) }
        }
    }
}

// MARK: - Numbers of tasks

extension BackgroundConnection {
    /// Waits until the session was opened, or could not be; not at all if it was open before.
    func waitUntilOpened() {
        let semaphore = DispatchSemaphore(value: 0)
        let waits = state.withLock { state in
            if case .failed = state.condition { connect(&state) }
            guard !state.hasOpened else { return false }
            switch state.condition {
            case .connecting, .opening:
                state.waiting.append(semaphore)
                return true
            case .idle, .open, .failed, .closed:
                return false
            }
        }
        guard waits else { return }
        _ = semaphore.wait(timeout: .now() + environment.patience / .seconds(1))
    }

    /// A new task's number, and why the daemon cannot have it, if so.
    func reserveTask() -> (identifier: Int, refusal: URLError?) {
        state.withLock { state in
            let refusal = Self.refusal(state)
            guard refusal == nil else {
                defer { state.nextRefusedTaskIdentifier += 1 }
                return (state.nextRefusedTaskIdentifier, refusal)
            }
            defer { state.nextTaskIdentifier += 1 }
            return (state.nextTaskIdentifier, nil)
        }
    }

    private static func refusal(_ state: State) -> URLError? {
        if case .failed(let error) = state.condition { return error }
        guard !state.hasOpened else { return nil }
        return URLError(
            .backgroundSessionWasDisconnected,
            url: nil,
            reason: "The transfer daemon has not answered in time."
        )
    }
}

// MARK: - Calls

extension BackgroundConnection {
    /// Asks the daemon for something, until it has acknowledged it.
    ///
    /// - Parameters:
    ///   - call: What is asked for.
    ///   - onRefusal: Called on the loop if the daemon refuses for good.
    func call(
        _ call: BackgroundCall,
        onRefusal: (@Sendable (TransferDaemonError) -> Void)? = nil
    ) {
        state.withLock { add(call, onRefusal: onRefusal, to: &$0) }
    }

    /// A task has ended, whatever the daemon has not acknowledged of it.
    func taskEnded(_ task: Int) { state.withLock { $0.outbox.taskEnded(task) } }

    /// Tells the daemon that the app has taken an event.
    ///
    /// - Parameters:
    ///   - sequence: The event's number.
    ///   - number: The number of the session that it came from. A session that has come into being again
    ///     since then has other events, of which one may have the same number.
    func acknowledge(_ sequence: Int64, ofSession number: Int64) {
        state.withLock { state in
            guard state.lastNumber == number else { return }
            add(.acknowledge(sequence: sequence), to: &state)
        }
    }

    private func add(
        _ call: BackgroundCall,
        onRefusal: (@Sendable (TransferDaemonError) -> Void)? = nil,
        to state: inout State
    ) {
        switch state.condition {
        case .closed, .failed:
            // The tasks have been told so.
            return
        case .idle:
            state.outbox.add(call, onRefusal: onRefusal)
            connect(&state)
        case .connecting, .opening:
            state.outbox.add(call, onRefusal: onRefusal)
        case .open(let session):
            state.outbox.add(call, onRefusal: onRefusal)
            sendNew(&state, over: session, keepsIncomplete: true)
        }
    }

    /// Sends what was never sent.
    ///
    /// A new task is kept until the loop has a moment: as a rule its application resumes it before, and
    /// one call does for both.
    func sendNew(
        _ state: inout State,
        over session: State.Session,
        keepsIncomplete: Bool
    ) {
        let generation = state.generation
        let remainder = state.outbox.sendNew(keepsIncomplete: keepsIncomplete) { entry in
            send(entry, over: session, generation: generation)
        }
        switch remainder {
        case .nothing:
            return
        case .incomplete:
            guard !state.isSendingScheduled else { return }
            state.isSendingScheduled = true
            LoopActor.perform { [self] in sendKept() }
        case .file(let file, let isFirst):
            file.open(mayExceed: isFirst) { [weak self] in
                LoopActor.perform { self?.sendKept() }
            }
        }
    }

    @LoopActor
    private func sendKept() {
        state.withLock { state in
            state.isSendingScheduled = false
            guard case .open(let session) = state.condition else { return }
            sendNew(&state, over: session, keepsIncomplete: false)
        }
    }

    /// Asks the daemon for something that changes nothing; fails when there is no connection now.
    func query<Method: TransferMethod>(
        _ method: Method,
        onReply: @escaping @LoopActor @Sendable (Result<Method.Reply, CallError>) -> Void
    ) {
        let client: VarlinkClient? = state.withLock { state in
            guard case .open(let session) = state.condition else { return nil }
            return session.client
        }
        if let client {
            client.call(method, onReply: onReply)
        } else {
            LoopActor.perform { onReply(.failure(.connectionClosed(reason: "there is none"))) }
        }
    }

    /// Calls `continuation` when the daemon has acknowledged all that was asked for so far, or the session
    /// cannot be had.
    func flush(then continuation: @escaping @Sendable () -> Void) {
        let isEmpty = state.withLock { $0.outbox.wait(continuation) }
        if isEmpty { continuation() }
    }

    /// Ends the session at the daemon's, then the connection.
    func close(then continuation: @escaping @Sendable () -> Void) {
        call(.close(cancelling: false))
        flush {
            let client: VarlinkClient? = self.state.withLock { state in
                defer {
                    state.condition = .closed
                    state.generation += 1
                    state.observer = nil
                }
                guard case .open(let session) = state.condition else { return nil }
                return session.client
            }
            client?.close()
            continuation()
        }
    }

    func send(_ entry: Outbox.Entry, over session: State.Session, generation: Int) {
        entry.call.send(over: session.client, session: session.number) { [weak self] error in
            self?.answered(entry.number, generation: generation, error)
        }
    }
}
