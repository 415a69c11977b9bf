import FerryStore
import FerrySystem
import FerryWire
import FoundationEssentials
import Glibc

extension Daemon {
    /// The maximum number of tasks in a page.
    static let maximumPageSize = 1000
    /// The number of bytes of requests and similar data above which a page takes no more tasks.
    static let pageByteLimit = 4 << 20

    /// Lists tasks, a page at a time.
    func listTasks(
        _ call: Wire.ListTasks,
        _ reply: Reply<Wire.ListTasks>,
        from connection: VarlinkConnection
    ) {
        observe(reply) { () async throws(TransferInterfaceError) in
            try await self.listTasks(call)
        }
    }

    /// Reports the state of a task.
    func getTask(
        _ call: Wire.GetTask,
        _ reply: Reply<Wire.GetTask>,
        from connection: VarlinkConnection
    ) {
        observe(reply) { () async throws(TransferInterfaceError) in
            Wire.GetTask.Reply(task: try await self.task(call.id))
        }
    }

    /// Lists the applications that may be started.
    func listHooks(
        _ call: Wire.ListHooks,
        _ reply: Reply<Wire.ListHooks>,
        from connection: VarlinkConnection
    ) {
        reply.success(Wire.ListHooks.Reply(hooks: hooks()))
    }

    /// Reports the status of the daemon.
    func getStatus(
        _ call: Wire.GetStatus,
        _ reply: Reply<Wire.GetStatus>,
        from connection: VarlinkConnection
    ) {
        observe(reply) { () async throws(TransferInterfaceError) in
            Wire.GetStatus.Reply(status: try await self.status())
        }
    }

    private func observe<Method: TransferMethod>(
        _ reply: Reply<Method>,
        _ body: @escaping @LoopActor () async throws(TransferInterfaceError) -> Method.Reply
    ) {
        LoopActor.task {
            do throws(TransferInterfaceError) {
                reply.success(try await body())
            } catch {
                reply.failure(error)
            }
        }
    }

    // MARK: Tasks

    func listTasks(
        _ list: Wire.ListTasks
    ) async throws(TransferInterfaceError) -> Wire.ListTasks.Reply {
        let limit = min(max(list.limit ?? 100, 1), Self.maximumPageSize)
        guard let filter = filter(list) else { return Wire.ListTasks.Reply(tasks: [], next: nil) }
        let page = try await reading { () async throws(StoreError) in
            try await self.store.page(
                of: filter,
                after: list.after ?? 0,
                limit: limit,
                byteLimit: Self.pageByteLimit
            )
        }
        let wanted = list.states.map(Set.init)
        let tasks = page.tasks.map { present($0) }
            .filter { wanted?.contains($0.state) ?? true }
            .filter { list.session.map($0.session.elementsEqual) ?? true }
        return Wire.ListTasks.Reply(tasks: tasks, next: page.next)
    }

    /// Returns the states of the first tasks of `ids`, as many as fit in a page, and which of them are gone; removes
    /// them all from `ids`.
    func takeSnapshot(
        of ids: inout ArraySlice<Int64>
    ) async throws(TransferInterfaceError) -> Wire.WatchTasks.Reply {
        let wanted = Array(ids.prefix(Self.maximumPageSize))
        let page = try await reading { () async throws(StoreError) in
            try await self.store.page(ids: wanted, byteLimit: Self.pageByteLimit)
        }
        let count = page.next.flatMap { wanted.firstIndex(of: $0) }.map { $0 + 1 } ?? wanted.count
        ids = ids.dropFirst(count)
        let found = Set(page.tasks.map(\.id))
        return Wire.WatchTasks.Reply(
            tasks: page.tasks.map { present($0) },
            removed: wanted.prefix(count).filter { !found.contains($0) }
        )
    }

    /// Returns the filter for the store; `nil` if there is no such application or session.
    private func filter(_ list: Wire.ListTasks) -> TaskFilter? {
        let states =
            list.states.map { Set($0.flatMap(\.records)) }
            ?? Set(TaskRecord.State.allCases)
        guard let name = list.application else { return TaskFilter(states: states) }
        guard
            let application = machine.applications.values
                .first(where: { $0.record.identifier == name })
        else { return nil }
        guard let identifier = list.session else {
            return TaskFilter(scope: .application(application.record.id), states: states)
        }
        let session = machine.sessions.values.first {
            $0.applicationID == application.record.id && $0.identifier == identifier
        }
        return session.map { TaskFilter(scope: .session($0.id), states: states) }
    }

    func task(_ id: Int64) async throws(TransferInterfaceError) -> Wire.Task {
        let record = try await reading { () async throws(StoreError) in
            try await self.store.task(id: id)
        }
        guard let record else { throw .taskNotFound(id: id) }
        return present(record)
    }

    /// Returns a task for a client, from its record in the store and the state of its transfer.
    func present(_ record: TaskRecord) -> Wire.Task {
        let session = machine.sessions[record.sessionID]
        let application = session.flatMap { machine.applications[$0.applicationID] }
        let running = machine.running[record.id]
        let isLoading = running?.isActive ?? false
        let request = Stored.request(record.request)
        return Wire.Task(
            id: record.id,
            application: application?.record.identifier ?? "",
            session: session?.identifier ?? "",
            identifier: record.identifier,
            state: isLoading && record.state == .waiting ? .running : record.state.presented,
            description: record.description,
            priority: record.priority,
            originalRequest: request
                ?? Wire.Request(url: "", method: "", fields: [], idleTimeout: 0),
            currentRequest: running?.currentRequest
                ?? record.currentRequest.flatMap { Stored.request($0) }
                ?? DelayState.decode(record.delay)?.request,
            response: running?.response ?? record.response.flatMap { Stored.response($0) },
            receivedByteCount: running?.receivedByteCount ?? record.receivedByteCount,
            expectedByteCount: running?.expectedByteCount ?? record.expectedByteCount,
            upload: present(UploadState.decode(record.upload), of: record),
            wait: wait(of: record),
            failure: running?.failure.map { Wire.Failure(code: $0.code, message: $0.message) }
                ?? record.lastError.flatMap { Stored.failure($0) },
            attempts: running?.attempts ?? record.attempts,
            created: machine.clock.wall(at: record.createdAt),
            earliestBegin: DelayState.decode(record.delay)?.date,
            options: Stored.options(record.options)
        )
    }

    /// Returns why a task waits, with dates in the time of day.
    private func wait(of record: TaskRecord) -> Wire.Wait? {
        guard var wait = machine.wait(of: record, at: now) else { return nil }
        if let until = wait.until { wait.until = machine.clock.wall(at: until) }
        return wait
    }

    private func present(_ upload: UploadState?, of record: TaskRecord) -> Wire.Upload? {
        upload.map { upload in
            let isSent = record.state == .completed && record.lastError == nil
            return Wire.Upload(
                byteCount: upload.byteCount,
                sentByteCount: machine.running[record.id]?.sentByteCount
                    ?? (isSent ? upload.byteCount : 0)
            )
        }
    }

    /// Reports the states of tasks, and their changes.
    func watchTasks(
        _ call: Wire.WatchTasks,
        _ reply: Reply<Wire.WatchTasks>,
        from connection: VarlinkConnection
    ) {
        let identifier = makeIdentifier()
        let watcher = TaskWatcher(ids: call.ids, reply: reply, daemon: self)
        watchers[identifier] = watcher
        reply.onClose = { [weak watcher] in watcher?.end() }
        watcher.start { [weak self] in self?.watchers[identifier] = nil }
    }

    // MARK: Applications and the daemon itself

    private func hooks() -> [Wire.Hook] {
        machine.applications.values.sorted { $0.record.id < $1.record.id }.map { application in
            let pending = machine.sessions.values.filter {
                $0.applicationID == application.record.id
                    && ($0.isReadyForRelaunch || $0.questionCount > 0)
            }
            return Wire.Hook(
                application: application.record.identifier,
                launch: application.record.launch.map { Wire.Launch($0) },
                attempts: application.record.launchAttempts,
                nextLaunch: application.record.nextLaunchAt.map { machine.clock.wall(at: $0) },
                pendingSessions: pending.map(\.identifier).sorted(),
                quit: application.record.quit
            )
        }
    }

    private func status() async throws(TransferInterfaceError) -> Wire.Status {
        let totals = try await reading { () async throws(StoreError) in
            try await self.store.totals()
        }
        let loading = machine.running.values.count(where: \.isActive)
        return Wire.Status(
            version: DaemonVersion.current,
            pid: getpid(),
            started: started,
            sockets: socketPaths,
            stateDirectory: files.stateDirectory,
            log: log.destination.description,
            running: loading,
            waiting: max(0, totals.waitingTasks - loading),
            suspended: totals.suspendedTasks,
            sessions: machine.sessions.values.count { $0.attachment != nil },
            connections: connections.count,
            receiveRate: machine.rates.receive,
            sendRate: machine.rates.send
        )
    }

    /// Reads from the store, and converts its errors to the interface's.
    func reading<Value: Sendable>(
        _ body: @LoopActor () async throws(StoreError) -> Value
    ) async throws(TransferInterfaceError) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw TransferInterfaceError(error, task: 0)
        }
    }
}

extension TaskRecord.State {
    /// The state that a client sees.
    fileprivate var presented: Wire.TaskState {
        switch self {
        case .suspended, .heldSuspended: .suspended
        case .waiting, .held: .waiting
        case .completed: .completed
        }
    }
}

extension Wire.TaskState {
    /// The states of the store that a client may see as this one.
    fileprivate var records: [TaskRecord.State] {
        switch self {
        case .suspended: [.suspended, .heldSuspended]
        case .waiting: [.waiting, .held]
        case .running: [.waiting]
        case .completed: [.completed]
        }
    }
}
