import Foundation
import FoundationNetworking
import Synchronization

/// The state that the handles of one session share: its tasks, its delegate, its end.
///
/// There is one core per session and, for a background session, one per identifier: a second
/// ``URLSession`` of an identifier that is in use is a second handle of the same core.
final class SessionCore: Sendable {
    struct State {
        enum Condition {
            case active
            /// Takes no more tasks, and closes when it has none.
            case finishing
            /// Has no tasks left.
            case closing
            case ended
        }

        var condition = Condition.active
        /// Whether there is an object for every task that has to end before the session does.
        var knowsAllTasks = false
        var delegate: (any URLSessionDelegate)?
        /// The handle that is passed to delegates.
        ///
        /// Kept for a background session, whose events may arrive at any time, and while a session is finishing; the
        /// tasks keep it otherwise.
        var handle: URLSession?
        var tasks: [Int: URLSessionTask] = [:]
        /// The tasks that have ended since the daemon was asked for a list of all.
        ///
        /// The list may have been made before, and must not bring such a task back.
        var endedWhileAdopting: Set<Int>?
        var description: String?
    }

    let configuration: URLSessionConfiguration.Values
    let delegateCalls: DelegateCalls
    let carrier: SessionCarrier
    let isShared: Bool
    let state: Mutex<State>
    /// What happens to the tasks of a background session without a delegate.
    let unread: UnreadEvents?
    /// Called when the session has ended, before its delegate is notified.
    let onEnd: @Sendable () -> Void

    init(
        configuration: URLSessionConfiguration.Values,
        delegate: (any URLSessionDelegate)?,
        delegateQueue: OperationQueue?,
        carrier: SessionCarrier,
        isShared: Bool = false,
        unread: UnreadEvents? = nil,
        onEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.configuration = configuration
        delegateCalls = DelegateCalls(queue: delegateQueue)
        self.carrier = carrier
        self.isShared = isShared
        self.unread = unread
        self.onEnd = onEnd
        state = Mutex(State(delegate: delegate))
    }

    var delegateQueue: OperationQueue { delegateCalls.queue }

    var isBackground: Bool { configuration.isBackground }

    var backend: any SessionBackend { carrier.backend }

    var delegate: (any URLSessionDelegate)? { state.withLock { $0.delegate } }

    /// The handle that is passed to delegates, if the core keeps it.
    var handle: URLSession? { state.withLock { $0.handle } }

    var description: String? {
        get { state.withLock { $0.description } }
        set { state.withLock { $0.description = newValue } }
    }

    /// Keeps a handle until the session has ended.
    ///
    /// - Returns: false if there is another one.
    func keep(_ handle: URLSession) -> Bool {
        state.withLock { state in
            guard state.handle == nil else { return false }
            state.handle = handle
            return true
        }
    }
}

extension SessionCore {
    /// Accepts no more tasks, and ends when the existing ones have ended.
    func invalidate(_ session: URLSession, cancelling: Bool) {
        guard !isShared else { return }
        state.withLock { state in
            guard state.condition == .active else { return }
            state.condition = .finishing
            state.handle = state.handle ?? session
        }
        // At once, so that a program may exit right after; and again when the tasks of earlier launches are known.
        if cancelling { cancelTasks() }
        if cancelling { unread?.abandon() }
        backend.loadTasks(of: self) {
            if cancelling { self.cancelTasks() }
            self.state.withLock { $0.knowsAllTasks = true }
            self.closeIfPossible()
        }
    }

    private func cancelTasks() {
        for task in tasks { task.cancel() }
    }

    func closeIfPossible() {
        let closes = state.withLock { state in
            guard state.condition == .finishing, state.knowsAllTasks, state.tasks.isEmpty else {
                return false
            }
            state.condition = .closing
            return true
        }
        guard closes else { return }
        backend.close {
            self.delegateCalls.perform { self.end() }
        }
    }

    private func end() {
        let (delegate, handle) = state.withLock { state in
            state.condition = .ended
            return (state.delegate, state.handle)
        }
        onEnd()
        unread?.close()
        if let handle { delegate?.urlSession(handle, didBecomeInvalidWithError: nil) }
        // The references taken above are the last ones, and are released outside of the lock because that may run code
        // of the app.
        state.withLock { state in
            state.delegate = nil
            state.handle = nil
        }
    }
}
