import FerrySystem
import FerryWire
import Foundation

extension BackgroundConnection {
    /// Decides when to connect and what to send; keeps the calls that are not acknowledged yet.
    ///
    /// Each attempt to connect has a number. Results of earlier attempts are ignored.
    struct StateMachine {
        /// An action of the connection; actions are performed in order.
        enum Effect {
            /// Asks for the connection anew, and opens the session.
            case connect(attempt: Int, after: Duration)
            /// Needs the connection no longer.
            case disconnect
            /// Releases the session in the daemon: other processes may open it.
            case release(session: Int64)
            /// Sends a call; ``answered(_:attempt:_:)`` receives the result.
            case send(Outbox.Entry, session: Int64, attempt: Int)
            /// Opens the open session again, to register how the program is started.
            case register
            /// Calls ``sendKept()`` in a later turn of the loop.
            case sendKept
            /// Opens a file, then calls ``sendKept()``.
            case open(OutgoingFile, mayExceed: Bool)
            case notify(Notification)
            /// Prints why there is no daemon, or why it does not serve.
            case report(TransferDaemonError)
            /// Calls closures of the callers.
            case complete([@Sendable () -> Void])
        }

        /// A change of the connection that the session is notified of.
        enum Notification: Equatable {
            case didOpen(Opened)
            case isReady
            case didFail(URLError, tasksBelow: Int)
        }

        /// Why the session could not be opened.
        typealias OpeningFailure = ProcessConnection.OpeningFailure

        private enum Condition {
            /// Not connected, and no connection is needed.
            case idle
            /// Connecting, or waiting to.
            case connecting
            /// The session is open, and its events are not received yet.
            ///
            /// No calls are sent before that, as events that result from them could be missed.
            case opening(Session)
            case open(Session)
            /// The session is unavailable; the next task tries again.
            case failed(URLError)
            case closed
        }

        private struct Session {
            /// The session's number in the daemon.
            let number: Int64
            let since: ContinuousClock.Instant
        }

        /// The first number for tasks that the daemon could not accept; the daemon never assigns these numbers.
        private static let firstRefusedTaskIdentifier = 1 << 60
        /// How often the first opening is tried with a daemon that crashes on it.
        private static let greatestOpeningCount = 5
        /// How often a call is repeated on which the daemon fails internally.
        private static let greatestFailureCount = 10

        /// What the owner must do.
        var effects = EffectQueue<Effect>()
        private var condition = Condition.idle
        /// The number of the last attempt to connect.
        private var attempt = 0
        private var policy = ReconnectionPolicy()
        private var outbox = Outbox()
        /// The session's number when it was last open.
        private var lastSession: Int64?
        /// Whether a later turn of the loop will send the calls that are kept.
        private var isSendingKept = false
        /// Whether the session has ever been open: then the daemon has its tasks.
        private var hasOpened = false
        /// Whether the daemon has started this process for the session's events: then the daemon has the session,
        /// whatever prevents opening it now, and this process waits for it.
        private var isAwaited = false
        /// Whether to register again how the program is started.
        private var registersAgain = false
        /// The number of the next task; nil until there is a task, or the daemon has said which numbers are free.
        private var nextTaskIdentifier: Int?
        private var nextRefusedTaskIdentifier = firstRefusedTaskIdentifier
        /// The tasks with lower identifiers failed with the session when it was last unavailable.
        private var failedTaskBound = 0

        /// Whether the session is unavailable, until the next task is made.
        var hasFailed: Bool {
            switch condition {
            case .failed, .closed: true
            case .idle, .connecting, .opening, .open: false
            }
        }

        /// Whether calls can be sent now.
        var isOpen: Bool {
            if case .open = condition { true } else { false }
        }

        /// Returns whether an attempt is the latest one, and its session is open.
        func hasOpen(_ attempt: Int) -> Bool {
            switch condition {
            case .opening, .open: isCurrent(attempt)
            case .idle, .connecting, .failed, .closed: false
            }
        }

        /// Returns whether an attempt is the latest one, whose connection is the current one.
        func isCurrent(_ attempt: Int) -> Bool { attempt == self.attempt }
    }
}

// MARK: - Connecting

extension BackgroundConnection.StateMachine {
    /// Connects for the first time.
    ///
    /// - Parameter isAwaited: Whether the daemon has started this process for the session's events.
    mutating func start(isAwaited: Bool) {
        self.isAwaited = isAwaited
        connect()
    }

    /// Connects if the daemon was not needed until now.
    mutating func wake() {
        guard case .idle = condition else { return }
        connect()
    }

    /// Registers that the program is started in another way from now on.
    mutating func register() {
        switch condition {
        case .open, .opening:
            effects.add(.register)
        case .connecting:
            registersAgain = true
        case .idle, .failed, .closed: break
        }
    }

    private mutating func connect(after delay: Duration = .zero) {
        condition = .connecting
        attempt += 1
        effects.add(.connect(attempt: attempt, after: delay))
    }

    /// The daemon has opened the session.
    mutating func opened(
        attempt: Int,
        session: Int64,
        nextTaskIdentifier: Int,
        now: ContinuousClock.Instant
    ) {
        guard isCurrent(attempt) else { return }
        if let lastSession, lastSession != session {
            effects.add(.complete(outbox.removeAcknowledgements()))
        }
        lastSession = session
        condition = .opening(Session(number: session, since: now))
        self.nextTaskIdentifier = max(self.nextTaskIdentifier ?? 0, nextTaskIdentifier)
        // Requested while the call was in progress.
        if registersAgain { effects.add(.register) }
        registersAgain = false
        let opened = BackgroundConnection.Opened(session: session, attempt: attempt)
        effects.add(.notify(.didOpen(opened)))
    }

    /// The events of the session of that number are being received.
    mutating func subscribed(to number: Int64) {
        guard case .opening(let session) = condition, session.number == number else { return }
        condition = .open(session)
        hasOpened = true
        outbox.beginConnection()
        sendNew(over: session, keepsIncomplete: false)
        effects.add(.notify(.isReady))
    }

    /// The daemon has reported something about a task: if it ends now, it is tried again soon.
    mutating func wasUseful() { policy.succeeded() }

    /// The session could not be opened.
    mutating func openingFailed(_ failure: OpeningFailure, attempt: Int) {
        guard isCurrent(attempt) else { return }
        switch failure {
        case .busy(let error):
            // The program waits; the report says for what.
            effects.add(.report(error))
            retry()
        case .inUse(let pid, let isOver):
            // The daemon may not have noticed yet that the previous process has ended, or that an earlier
            // connection of this process is closed.
            if isOver {
                retry()
            } else {
                fail(Self.inUse(by: pid))
            }
        case .disconnected:
            let isHopeless = !hasOpened && policy.failureCount >= Self.greatestOpeningCount
            guard isHopeless else { return retry() }
            let error = TransferDaemonError(.disconnected, message: "it has ended")
            fail(URLError(disconnectedBy: error, url: nil))
        case .unavailable(let error):
            // Once the daemon has tasks of this session, they can still complete, whatever happens to it now.
            guard !hasOpened, !isAwaited else { return retry() }
            // Programs print at most an error's description.
            effects.add(.report(error))
            fail(URLError(disconnectedBy: error, url: nil))
        }
    }

    private static func inUse(by pid: Int32) -> URLError {
        URLError(
            .backgroundSessionInUseByAnotherProcess,
            url: nil,
            reason: "The process \(pid) of this application has the session."
        )
    }

    private mutating func retry() {
        connect(after: policy.failed())
    }

    /// The session is unavailable.
    private mutating func fail(_ error: URLError) {
        attempt += 1
        condition = .failed(error)
        policy = ReconnectionPolicy()
        failedTaskBound = nextTaskIdentifier ?? failedTaskBound
        effects.add(.disconnect)
        effects.add(.notify(.didFail(error, tasksBelow: failedTaskBound)))
        effects.add(.complete(outbox.removeAll()))
    }

    /// The connection of an attempt is lost, most likely because the daemon has ended, or the session's events have.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - isWanted: Whether the session needs the daemon.
    ///   - now: The current time.
    mutating func lost(attempt: Int, isWanted: Bool, now: ContinuousClock.Instant) {
        guard isCurrent(attempt) else { return }
        switch condition {
        case .opening(let session), .open(let session):
            let released = Effect.complete(outbox.endConnection())
            guard isWanted || !outbox.isEmpty || !hasOpened else {
                // The daemon may end; the next call starts it again.
                condition = .idle
                effects.add(.release(session: session.number))
                effects.add(.disconnect)
                effects.add(released)
                return
            }
            connect(after: policy.lost(after: now - session.since))
            effects.add(released)
        case .idle, .connecting, .failed, .closed: break
        }
    }

    /// The session has ended.
    mutating func close() {
        switch condition {
        case .opening(let session), .open(let session):
            effects.add(.release(session: session.number))
        case .idle, .connecting, .failed, .closed:
            break
        }
        condition = .closed
        attempt += 1
        effects.add(.disconnect)
    }
}

// MARK: - Tasks

extension BackgroundConnection.StateMachine {
    /// Prepares for a new task; retries a session that is unavailable.
    mutating func prepareForTask() {
        if case .failed = condition { connect() }
    }

    /// Returns a new task's number, and why the daemon cannot accept the task, if so.
    ///
    /// A task is made whether or not the daemon has answered yet, so that nothing waits for it.
    ///
    /// - Parameter first: Returns a number that no task has had, for a session that was never open.
    /// - Returns: The number, and the reason.
    mutating func reserveTask(first: () -> Int) -> (identifier: Int, refusal: URLError?) {
        if case .failed(let error) = condition {
            defer { nextRefusedTaskIdentifier += 1 }
            return (nextRefusedTaskIdentifier, error)
        }
        let identifier = nextTaskIdentifier ?? first()
        nextTaskIdentifier = identifier + 1
        return (identifier, nil)
    }

    /// Records that a task has ended, even if the daemon has not acknowledged all calls about it.
    mutating func taskEnded(_ task: Int) { outbox.taskEnded(task) }
}

// MARK: - Calls

extension BackgroundConnection.StateMachine {
    /// Sends a call until the daemon has acknowledged it.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - onRefusal: Called if the daemon refuses permanently.
    mutating func add(
        _ call: BackgroundCall,
        onRefusal: (@Sendable (TransferDaemonError) -> Void)? = nil
    ) {
        // Its identifier was reserved before the session failed; the daemon must not begin what the app was told has failed.
        if case .create(let task) = call, task.identifier < failedTaskBound { return }
        switch condition {
        case .closed, .failed:
            // The tasks have already been notified.
            break
        case .idle:
            outbox.add(call, onRefusal: onRefusal)
            connect()
        case .connecting, .opening:
            outbox.add(call, onRefusal: onRefusal)
        case .open(let session):
            outbox.add(call, onRefusal: onRefusal)
            sendNew(over: session, keepsIncomplete: true)
        }
    }

    /// Acknowledges an event that the app has received.
    ///
    /// - Parameters:
    ///   - sequence: The event's number.
    ///   - session: The number of the session that it came from. A session that was created again since then
    ///     has other events, one of which may have the same number.
    ///   - path: Where the app has put the event's file, if it has said so.
    mutating func acknowledge(_ sequence: Int64, of session: Int64, path: String? = nil) {
        guard lastSession == session else { return }
        let files = path.map { [Wire.SavedFile(sequence: sequence, path: $0)] } ?? []
        add(.acknowledge(sequence: sequence, files: files))
    }

    /// Waits until all calls so far are acknowledged, or given up.
    ///
    /// - Returns: Whether there are none; then the caller must call the continuation.
    mutating func wait(_ continuation: @escaping @Sendable () -> Void) -> Bool {
        outbox.wait(continuation)
    }

    /// Sends the calls that were kept.
    mutating func sendKept() {
        isSendingKept = false
        guard case .open(let session) = condition else { return }
        sendNew(over: session, keepsIncomplete: false)
    }

    /// Sends the calls that this connection has not sent yet.
    ///
    /// A new task is kept until a later turn of the loop: usually its application resumes it before that, and
    /// one call is enough for both. So is an acknowledgement: events come together.
    private mutating func sendNew(over session: Session, keepsIncomplete: Bool) {
        let attempt = attempt
        var entries: [Outbox.Entry] = []
        let remainder = outbox.sendNew(keepsIncomplete: keepsIncomplete) { entries.append($0) }
        for entry in entries {
            effects.add(.send(entry, session: session.number, attempt: attempt))
        }
        switch remainder {
        case .nothing:
            break
        case .incomplete:
            if !isSendingKept { effects.add(.sendKept) }
            isSendingKept = true
        case .file(let file, let isFirst):
            effects.add(.open(file, mayExceed: isFirst))
        }
    }

    /// The daemon has answered a call.
    ///
    /// - Parameters:
    ///   - number: The number of its entry.
    ///   - attempt: The attempt whose connection it was sent over.
    ///   - error: Why it was not carried out; nil if it was.
    mutating func answered(_ number: UInt64, attempt: Int, _ error: CallError?) {
        guard isCurrent(attempt), let entry = outbox.first(number: number) else { return }
        switch entry.call.consequence(of: error) {
        case .none: break
        case .done:
            removeFirst()
        case .refused(let error):
            let refusal = entry.onRefusal.map { refuse in { @Sendable in refuse(error) } }
            effects.add(.complete([refusal].compactMap(\.self)))
            removeFirst()
        case .reconnect(let isEndless):
            let count = outbox.recordFailureOfFirst()
            guard isEndless || count <= Self.greatestFailureCount else { return removeFirst() }
            retry()
            effects.add(.complete(outbox.endConnection()))
        }
    }

    /// Removes the first call, and continues with the one that is now first if that waits for its file.
    private mutating func removeFirst() {
        let continuations = outbox.removeFirst()
        if !continuations.isEmpty { effects.add(.complete(continuations)) }
        guard outbox.isHeldUp, case .open(let session) = condition else { return }
        sendNew(over: session, keepsIncomplete: true)
    }
}
