import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

extension SessionCore {
    /// Makes a download task and notifies the delegate.
    func makeDownloadTask(
        from source: DownloadSource,
        of session: URLSession,
        for recipient: URLSessionDownloadTask.Recipient = .delegate,
        delegate: (any URLSessionTaskDelegate)? = nil,
        _ prepare: (inout URLSessionTask.Storage) -> Void = { _ in }
    ) -> URLSessionDownloadTask {
        if case .handler = recipient { requireForeground() }
        if case .process(let backend) = carrier, case .request(let request) = source {
            if request.isLocal {
                return makeLocalDownloadTask(
                    from: request,
                    of: session,
                    for: recipient,
                    delegate,
                    on: backend
                )
            }
            if asksClasses {
                return makeAskedDownloadTask(
                    from: request,
                    of: session,
                    for: recipient,
                    delegate,
                    on: backend
                )
            }
        }
        let specification = Result { () throws(URLError) in
            try DownloadTaskSpecification(source, configuration: configuration)
        }
        let request = source.originalRequest(specification)
        var storage = makeStorage(of: session, request, delegate)
        if let specification = try? specification.get(), specification.resumption != nil {
            storage.owesResumption = true
            storage.madeFor = specification.request.madeFor
        }
        prepare(&storage)
        return makeTask(
            specification,
            of: session,
            storage: storage,
            make: downloadTaskMaker(for: recipient),
            add: { backend.add($0, $1) }
        )
    }

    /// Makes a task that one of the app's classes may load.
    private func makeAskedDownloadTask(
        from request: URLRequest,
        of session: URLSession,
        for recipient: URLSessionDownloadTask.Recipient,
        _ delegate: (any URLSessionTaskDelegate)?,
        on backend: InProcessBackend
    ) -> URLSessionDownloadTask {
        makeTask(
            of: session,
            storage: makeStorage(of: session, request, delegate),
            make: downloadTaskMaker(for: recipient),
            asking: { task in
                let custom = ProtocolClass(for: task, configuration: configuration)
                guard custom == nil else {
                    return Result { () throws(URLError) in
                        try DataTaskSpecification(
                            request,
                            body: .inRequest,
                            loadedBy: custom,
                            configuration: configuration
                        )
                    }.map { .local($0) }
                }
                return Result { () throws(URLError) in
                    try DownloadTaskSpecification(.request(request), configuration: configuration)
                }.map { .remote($0) }
            },
            add: { (task, specification: AskedDownload) in
                switch specification {
                case .local(let specification): backend.addLocal(task, specification)
                case .remote(let specification): backend.add(task, specification)
                }
            }
        )
    }

    /// The specification of a download that the app's classes were asked about.
    private enum AskedDownload: Sendable {
        /// One of the classes loads it.
        case local(DataTaskSpecification)
        /// None of the classes loads it.
        case remote(DownloadTaskSpecification)
    }

    /// Makes a task for a local file, or for the content of the URL itself.
    private func makeLocalDownloadTask(
        from request: URLRequest,
        of session: URLSession,
        for recipient: URLSessionDownloadTask.Recipient,
        _ delegate: (any URLSessionTaskDelegate)?,
        on backend: InProcessBackend
    ) -> URLSessionDownloadTask {
        let specification = Result { () throws(URLError) in
            try DataTaskSpecification(request, body: .inRequest, configuration: configuration)
        }
        let storage = makeStorage(of: session, request, delegate)
        return makeTask(
            specification,
            of: session,
            storage: storage,
            make: downloadTaskMaker(for: recipient),
            add: { backend.addLocal($0, $1) }
        )
    }

    /// Returns a closure that makes a download task.
    private func downloadTaskMaker(
        for recipient: URLSessionDownloadTask.Recipient
    ) -> (Int, any TaskBackend, URLSessionTask.Storage) -> URLSessionDownloadTask {
        { identifier, backend, storage in
            URLSessionDownloadTask(
                identifier: identifier,
                core: self,
                backend: backend,
                recipient: recipient,
                storage: storage
            )
        }
    }

    /// Makes a data task and notifies the delegate.
    func makeDataTask(
        _ request: URLRequest,
        of session: URLSession,
        for recipient: URLSessionDataTask.Recipient = .delegate,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionDataTask {
        let backend = requireForeground("Data tasks are not supported in background sessions.")
        return makeDataTask(
            request,
            DataBody(of: request),
            session,
            recipient,
            delegate,
            on: backend
        ) {
            identifier,
            backend,
            storage in
            URLSessionDataTask(
                identifier: identifier,
                core: self,
                backend: backend,
                recipient: recipient,
                storage: storage
            )
        }
    }

    /// Makes a data or upload task of the app's process.
    func makeDataTask<Task: URLSessionDataTask>(
        _ request: URLRequest,
        _ body: DataBody,
        _ session: URLSession,
        _ recipient: URLSessionDataTask.Recipient,
        _ delegate: (any URLSessionTaskDelegate)?,
        on backend: InProcessBackend,
        make: (Int, any TaskBackend, URLSessionTask.Storage) -> Task
    ) -> Task {
        var storage = makeStorage(of: session, request, delegate)
        storage.sentCounts = URLSessionTask.SentByteCounts(of: body, for: request)
        func specification(_ custom: ProtocolClass?) -> Result<DataTaskSpecification, URLError> {
            Result { () throws(URLError) in
                try DataTaskSpecification(
                    request,
                    body: body,
                    loadedBy: custom,
                    configuration: configuration
                )
            }
        }
        guard asksClasses else {
            let specification = specification(nil)
            return makeTask(specification, of: session, storage: storage, make: make) {
                backend.add($0, $1)
            }
        }
        return makeTask(
            of: session,
            storage: storage,
            make: make,
            asking: { specification(ProtocolClass(for: $0, configuration: configuration)) },
            add: { backend.add($0, $1) }
        )
    }

    /// Whether the app's classes are asked whether they load a task.
    private var asksClasses: Bool { !isBackground && !configuration.protocolTypes.isEmpty }

    /// Makes the storage of a new task.
    func makeStorage(
        of session: URLSession,
        _ request: URLRequest?,
        _ delegate: (any URLSessionTaskDelegate)?
    ) -> URLSessionTask.Storage {
        var storage = URLSessionTask.Storage(
            session: handle ?? session,
            originalRequest: request,
            currentRequest: request?.completed(by: configuration),
            delegate: delegate
        )
        storage.sentCounts.expected = Int64(request?.httpBody?.count ?? 0)
        storage.transferOptions = configuration.transferOptions
        return storage
    }

    /// Traps in background sessions, as Apple's library does.
    ///
    /// - Returns: What carries out the session's tasks.
    @discardableResult
    func requireForeground(
        _ message: @autoclosure () -> String =
            "Completion handler blocks are not supported in background sessions. "
            + "Use a delegate instead."
    ) -> InProcessBackend {
        guard case .process(let backend) = carrier else { preconditionFailure(message()) }
        return backend
    }

    /// Makes a task and notifies the delegate.
    func makeTask<Specification: Sendable, Task: URLSessionTask>(
        _ specification: Result<Specification, URLError>,
        of session: URLSession,
        storage: URLSessionTask.Storage,
        make: (Int, any TaskBackend, URLSessionTask.Storage) -> Task,
        add: (Task, Specification) -> Void
    ) -> Task {
        backend.prepareForTask()
        let task = addTask(specification, storage: storage, make: make, add: add)
        notifyCreated(task, of: handle ?? session)
        return task
    }

    /// Makes a task of the app's process whose specification depends on the app's classes.
    private func makeTask<Specification: Sendable, Task: URLSessionTask>(
        of session: URLSession,
        storage: URLSessionTask.Storage,
        make: (Int, any TaskBackend, URLSessionTask.Storage) -> Task,
        asking specification: (Task) -> Result<Specification, URLError>,
        add: (Task, Specification) -> Void
    ) -> Task {
        let identifier = state.withLock { state in
            requireActive(state)
            return backend.reserveTask().identifier
        }
        var storage = storage
        storage.deliveries.hold()
        var task = make(identifier, backend, storage)
        // Not under the lock: a class may run any code, and may make tasks.
        let specification = specification(task)
        if let error = specification.failure {
            task = make(identifier, RefusingBackend(error: error), storage)
        }
        state.withLock { state in
            requireActive(state)
            state.tasks[identifier] = task
            if let specification = try? specification.get() { add(task, specification) }
        }
        notifyCreated(task, of: handle ?? session)
        return task
    }

    /// Delivers the first message of a task, from inside the call that makes it; all others have waited for this one.
    func notifyCreated(_ task: URLSessionTask, of session: URLSession) {
        task.notify(.created) { (delegate: any URLSessionTaskDelegate) in
            delegate.urlSession(session, didCreateTask: task)
        }
        task.notifyHeldMessages()
    }

    private func requireActive(_ state: State) {
        precondition(
            state.condition == .active,
            "Attempted to create a task in a session that has been invalidated."
        )
    }

    /// Assigns a task's identifier and passes the task to the backend in one step, so that the backend receives tasks
    /// in the order of their identifiers.
    private func addTask<Specification: Sendable, Task: URLSessionTask>(
        _ specification: Result<Specification, URLError>,
        storage: URLSessionTask.Storage,
        make: (Int, any TaskBackend, URLSessionTask.Storage) -> Task,
        add: (Task, Specification) -> Void
    ) -> Task {
        state.withLock { state in
            requireActive(state)
            let (identifier, refusal) = backend.reserveTask()
            let error = specification.failure ?? refusal
            let backend = error.map { RefusingBackend(error: $0) } ?? backend as any TaskBackend
            var storage = storage
            storage.deliveries.hold()
            let task = make(identifier, backend, storage)
            state.tasks[identifier] = task
            if error == nil, let specification = try? specification.get() {
                add(task, specification)
            }
            return task
        }
    }

    /// Replaces the task that has the same identifier.
    func replaceTask(with task: URLSessionTask) {
        state.withLock { $0.tasks[task.taskIdentifier] = task }
    }

    /// Returns the task with an identifier, if there is an object for it.
    func task(_ identifier: Int) -> URLSessionTask? {
        state.withLock { $0.tasks[identifier] }
    }

    /// Adds a task of an earlier launch, unless there is an object for it already.
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

    /// The tasks that have not ended, in the order of their identifiers.
    var tasks: [URLSessionTask] {
        state.withLock { $0.tasks.values.sorted { $0.taskIdentifier < $1.taskIdentifier } }
    }

    /// Whether there is a task whose events the app takes, or may have to take.
    var awaitsEvents: Bool {
        guard let unread, !unread.isFollowed else { return state.withLock { !$0.tasks.isEmpty } }
        return tasks.contains { task in task.storage.withLock { !$0.lifecycle.hasEnded } }
    }

    /// Whether tasks can be made.
    var isActive: Bool { state.withLock { $0.condition == .active } }

    /// Records that a task has ended and the app was notified; on the delegate queue.
    func taskEnded(_ task: URLSessionTask) {
        state.withLock { state in
            state.tasks[task.taskIdentifier] = nil
            state.endedWhileAdopting?.insert(task.taskIdentifier)
        }
        closeIfPossible()
    }

    /// Begins to wait for a list of all tasks.
    func beginAdopting() {
        state.withLock { $0.endedWhileAdopting = [] }
    }

    /// Ends the wait: the list of all tasks has arrived, or will not arrive.
    func endAdopting() {
        state.withLock { $0.endedWhileAdopting = nil }
    }

    /// Calls `handler` on the delegate queue with the tasks that the app has resumed, and not cancelled.
    func listTasks(_ handler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        backend.loadTasks(of: self) {
            let tasks = self.tasks
            self.delegateCalls.perform { handler(Self.outstanding(tasks)) }
        }
    }

    /// Waits for the tasks that the app has resumed, and not cancelled; where the surrounding Swift task is cancelled,
    /// for those that are known.
    func listTasks() async -> [URLSessionTask] {
        await valueUnlessCancelled(orElse: Self.outstanding(self.tasks)) { listTasks($0) }
    }

    private static func outstanding(_ tasks: [URLSessionTask]) -> [URLSessionTask] {
        tasks.filter { $0.storage.withLock { $0.lifecycle.isOutstanding } }
    }
}
