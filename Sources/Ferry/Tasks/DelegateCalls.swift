import FerrySystem
import Foundation
import Synchronization

/// Puts what the tasks of a session have to tell on its delegate queue.
///
/// On a queue of the app's, each message is an operation of its own. On a queue that the session has
/// made, an operation tells what several tasks have to tell: to wake the queue's thread for each message
/// costs more than a short download does.
final class DelegateCalls: Sendable {
    let queue: OperationQueue

    private struct State {
        /// The tasks with something to tell, each of them once.
        var tasks: [URLSessionTask] = []
        /// Whether there is an operation for them, or will be.
        var isScheduled = false
    }

    private let isOwnQueue: Bool
    private let state = Mutex(State())

    /// Calls on a queue of the app's; without one, on a serial one of the session's own.
    init(queue: OperationQueue?) {
        isOwnQueue = queue == nil
        self.queue = queue ?? Self.makeSerialQueue()
    }

    /// Lets a task tell its next message; only when it has one, and is not in line already.
    func enqueue(_ task: URLSessionTask) {
        guard isOwnQueue else {
            return queue.addOperation { [self] in
                if task.deliverNext() { enqueue(task) }
            }
        }
        let mustSchedule = state.withLock { state in
            state.tasks.append(task)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        // What else the event loop finds in its present turn comes along.
        if mustSchedule { LoopActor.perform { self.schedule() } }
    }

    private func schedule() {
        queue.addOperation { [self] in deliver() }
    }

    /// Tells one message of each task in turn, for a while: other operations want their turn, too.
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
