import Foundation
import FoundationNetworking
import Synchronization

extension SessionCore {
    /// Makes a download task and tells the delegate so.
    func makeDownloadTask(
        from source: DownloadSource,
        of session: URLSession,
        for recipient: URLSessionDownloadTask.Recipient = .delegate,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionDownloadTask {
        if case .handler = recipient {
            precondition(
                !isBackground,
                "Completion handler blocks are not supported in background sessions. "
                    + "Use a delegate instead."
            )
        }
        let order = Result { () throws(URLError) in
            try DownloadOrder(source, configuration: configuration)
        }
        let request = source.originalRequest(order)
        let handle = handle ?? session
        backend.prepareForTask()
        let task = addTask(
            order,
            for: recipient,
            storage: URLSessionTask.Storage(
                session: handle,
                owesResumption: (try? order.get())?.resumption != nil,
                originalRequest: request,
                currentRequest: request,
                delegate: delegate
            )
        )
        (delegate ?? self.delegate as? any URLSessionTaskDelegate)?
            .urlSession(handle, didCreateTask: task)
        return task
    }

    /// Numbers a task and hands it to the backend in one step, so that the backend gets tasks in the order
    /// of their numbers.
    private func addTask(
        _ order: Result<DownloadOrder, URLError>,
        for recipient: URLSessionDownloadTask.Recipient,
        storage: URLSessionTask.Storage
    ) -> URLSessionDownloadTask {
        state.withLock { state in
            precondition(
                state.condition == .active,
                "Attempted to create a task in a session that has been invalidated."
            )
            let (identifier, refusal) = backend.reserveTask()
            let error = order.failure ?? refusal
            let task = URLSessionDownloadTask(
                identifier: identifier,
                core: self,
                backend: error.map { RefusingBackend(error: $0) } ?? backend,
                recipient: recipient,
                storage: storage
            )
            state.tasks[identifier] = task
            if error == nil, let order = try? order.get() { backend.add(task, order) }
            return task
        }
    }

    /// The task of that number, if there is an object for it.
    func task(_ identifier: Int) -> URLSessionTask? {
        state.withLock { $0.tasks[identifier] }
    }

    /// Takes in a task of an earlier launch, unless there is an object for it already.
    ///
    /// - Returns: nil when the session, or the task, has ended.
    @discardableResult
    func adoptTask(
        _ identifier: Int,
        make: (URLSession) -> URLSessionTask
    ) -> URLSessionTask? {
        state.withLock { state in
            if let task = state.tasks[identifier] { return task }
            guard let handle = state.handle,
                state.endedWhileAdopting?.contains(identifier) != true
            else { return nil }
            let task = make(handle)
            state.tasks[identifier] = task
            return task
        }
    }

    /// The tasks that have not ended, in the order of their numbers.
    var tasks: [URLSessionTask] {
        state.withLock { $0.tasks.values.sorted { $0.taskIdentifier < $1.taskIdentifier } }
    }

    /// Whether all tasks that are known have ended.
    var hasNoTasks: Bool { state.withLock { $0.tasks.isEmpty } }

    /// Takes note that a task has ended and everybody was told; on the delegate queue.
    func taskEnded(_ task: URLSessionTask) {
        state.withLock { state in
            state.tasks[task.taskIdentifier] = nil
            state.endedWhileAdopting?.insert(task.taskIdentifier)
        }
        closeIfPossible()
    }

    /// From now on a list of all tasks is on its way.
    func beginAdopting() {
        state.withLock { $0.endedWhileAdopting = [] }
    }

    /// The list of all tasks has come, or will not come.
    func endAdopting() {
        state.withLock { $0.endedWhileAdopting = nil }
    }

    /// Calls `handler` on the delegate queue with the tasks that the app has resumed.
    func listTasks(_ handler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        backend.loadTasks(of: self) {
            let tasks = self.tasks.filter { $0.storage.withLock { $0.lifecycle.wasResumed } }
            self.delegateQueue.addOperation { handler(tasks) }
        }
    }
}
