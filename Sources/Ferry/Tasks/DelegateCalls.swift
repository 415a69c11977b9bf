import FerrySystem
import Foundation
import Synchronization

/// A scheduler that puts the messages of a session's tasks on its delegate queue.
///
/// On an app's queue, each message is an operation of its own, or a turn of the main thread. On a queue that the session has made, one operation
/// delivers the messages of several tasks: waking the queue's thread for each message costs more than a short download.
final class DelegateCalls: Sendable {
    let queue: OperationQueue

    private struct State {
        /// The tasks with messages to deliver, each of them once.
        var tasks: [URLSessionTask] = []
        /// Whether there is an operation for them, or will be.
        var isScheduled = false
    }

    private let isOwnQueue: Bool
    private let state = Mutex(State())

    /// Creates a scheduler for an app's queue or, without one, for a serial queue of the session's own.
    init(queue: OperationQueue?) {
        isOwnQueue = queue == nil
        self.queue = queue ?? Self.makeSerialQueue()
    }

    /// Schedules a task's next message; only if it has one, and is not in line already.
    func enqueue(_ task: URLSessionTask) {
        guard isOwnQueue else {
            return perform { [self] in
                if task.deliverNext() { enqueue(task) }
            }
        }
        let mustSchedule = state.withLock { state in
            state.tasks.append(task)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        // Messages that the event loop adds in its current turn are included.
        if mustSchedule { LoopActor.perform { self.schedule() } }
    }

    /// Performs a call of the app's on the delegate queue, after those that were given before.
    ///
    /// On the main queue it is no operation: an app's operation that has begun and not finished, such as one that waits
    /// for the very request, would hold it up for good. The main thread performs both one after the other, and the
    /// queue can neither be suspended nor run two operations at once.
    func perform(_ call: @escaping @Sendable () -> Void) {
        if queue === OperationQueue.main {
            DispatchQueue.main.async(execute: call)
        } else {
            queue.addOperation(call)
        }
    }

    private func schedule() {
        queue.addOperation { [self] in deliver() }
    }

    /// Delivers one message of each task in turn, up to a limit, so that other operations get their turn, too.
    private func deliver() {
        var tasks = state.withLock { state in
            defer { state.tasks = [] }
            return state.tasks
        }
        var next = 0
        while next < tasks.count, next < Self.maximumBatchSize, !queue.isSuspended {
            if tasks[next].deliverNext() { tasks.append(tasks[next]) }
            next += 1
        }
        let isLeft = state.withLock { state in
            state.tasks.insert(contentsOf: tasks[next...], at: 0)
            state.isScheduled = !state.tasks.isEmpty
            return state.isScheduled
        }
        if isLeft { schedule() }
    }

    private static let maximumBatchSize = 256

    private static func makeSerialQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.name = "ferry.session.delegate"
        queue.maxConcurrentOperationCount = 1
        return queue
    }
}

/// The delegates of a task: its own; and the session's, for each method that the task's own does not implement.
extension URLSessionTask {
    /// Calls a delegate; on the delegate queue.
    ///
    /// - Parameters:
    ///   - method: The method that is called.
    ///   - call: Calls it.
    func notify<Delegate>(_ method: DelegateForms.Method, _ call: (Delegate) -> Void) {
        if let own = storage.withLock({ $0.delegate }), let delegate = own as? Delegate,
            !DelegateForms.isDefault(method, of: own)
        {
            call(delegate)
            // The default has only recorded that it was called.
            guard DelegateForms.isDefault(method, of: own) else { return }
        }
        if let delegate = core.delegate as? Delegate { call(delegate) }
    }

    /// Whether there is a delegate that may implement a method.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - type: The protocol that it belongs to.
    /// - Returns: Whether one may.
    func hasHandler<Delegate>(_ method: DelegateForms.Method, by type: Delegate.Type) -> Bool {
        if let own = storage.withLock({ $0.delegate }), own is Delegate,
            !DelegateForms.isDefault(method, of: own)
        {
            return true
        }
        guard let common = core.delegate, common is Delegate else { return false }
        return !DelegateForms.isDefault(method, of: common)
    }

    /// Whether there is a delegate that may implement a method of `URLSessionTaskDelegate`.
    func hasHandler(_ method: DelegateForms.Method) -> Bool {
        hasHandler(method, by: (any URLSessionTaskDelegate).self)
    }
}
