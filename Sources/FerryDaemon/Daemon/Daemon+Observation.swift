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
    func listTasks(_ call: MethodCall<Wire.ListTasks>) {
        observe(call) { (parameters) async throws(TransferInterfaceError) in
            let page = try await self.readPage(parameters)
            let summarizes = parameters.summarizes ?? false
            return Wire.ListTasks.Reply(
                tasks: summarizes ? Encoded([]) : self.encoded(page.tasks),
                summaries: summarizes ? self.summaries(of: page.tasks) : nil,
                next: page.next?.rawValue
            )
        }
    }

    /// Lists tasks that have ended and are gone.
    func listEndedTasks(_ call: MethodCall<Wire.ListEndedTasks>) {
        observe(call) { (parameters) async throws(TransferInterfaceError) in
            let page = try await self.reading { () async throws(StoreError) in
                try await self.store.endedTasks(before: parameters.after)
            }
            let tasks = parameters.selection(of: page.records)
            return Wire.ListEndedTasks.Reply(tasks: tasks, next: page.next)
        }
    }

    /// Reports the state of a task.
    func getTask(_ call: MethodCall<Wire.GetTask>) {
        observe(call) { (parameters) async throws(TransferInterfaceError) in
            Wire.GetTask.Reply(task: try await self.task(parameters.taskID))
        }
    }

    /// Lists the applications that may be started.
    func listHooks(_ call: MethodCall<Wire.ListHooks>) {
        call.reply.success(Wire.ListHooks.Reply(hooks: machine.hooks()))
    }

    /// Reports the status of the daemon.
    func getStatus(_ call: MethodCall<Wire.GetStatus>) {
        observe(call) { (_) async throws(TransferInterfaceError) in
            Wire.GetStatus.Reply(status: try await self.status())
        }
    }

    /// Answers a call by what is read meanwhile; the connection is not kept for that.
    private func observe<Method: TransferMethod>(
        _ call: MethodCall<Method>,
        _ body: @escaping @LoopActor (Method) async throws(TransferInterfaceError) -> Method.Reply
    ) {
        LoopActor.task { [parameters = call.parameters, reply = call.reply] in
            do throws(TransferInterfaceError) {
                reply.success(try await body(parameters))
            } catch {
                reply.failure(error)
            }
        }
    }

    // MARK: Tasks

    /// Reads a page of tasks.
    ///
    /// - Parameter list: Which tasks.
    /// - Returns: The tasks.
    /// - Throws: A failure of the store.
    func readPage(_ list: Wire.ListTasks) async throws(TransferInterfaceError) -> TaskPage {
        let limit = min(max(list.limit ?? 100, 1), Self.maximumPageSize)
        guard let filter = filter(list) else { return TaskPage(tasks: []) }
        var page = try await reading { () async throws(StoreError) in
            try await self.store.page(
                of: filter,
                after: TaskID(list.after ?? 0),
                limit: limit,
                byteLimit: Self.pageByteLimit
            )
        }
        let machine = machine
        if let states = list.states.map(Set.init) {
            page.tasks.removeAll { !states.contains(machine.state(of: $0)) }
        }
        if let session = list.session {
            page.tasks.removeAll { machine.sessions[$0.sessionID]?.identifier != session }
        }
        return page
    }

    /// Returns tasks as clients see them now.
    func presented(_ records: [TaskRecord]) -> [Wire.Task] {
        let (machine, now) = (machine, now)
        return records.map { machine.presentation(of: $0, at: now) }
    }

    /// Returns tasks as clients see them now, as JSON: a page of them as values would be large.
    private func encoded(_ records: [TaskRecord]) -> Encoded<[Wire.Task]> {
        let (machine, now) = (machine, now)
        return Encoded { output in
            for record in records {
                machine.presentation(of: record, at: now).write(to: &output)
            }
        }
    }

    /// Returns what a list shows of tasks, as JSON.
    private func summaries(of records: [TaskRecord]) -> Encoded<[Wire.TaskSummary]> {
        let (machine, now) = (machine, now)
        var waits = DaemonStateMachine.QueueWaits()
        return Encoded { output in
            for record in records {
                machine.summary(of: record, at: now, &waits).write(to: &output)
            }
        }
    }

    /// Returns the states of the first tasks of `ids`, as many as fit in a page, and which of them are gone; removes
    /// them all from `ids`.
    func takeSnapshot(
        of ids: inout ArraySlice<TaskID>
    ) async throws(TransferInterfaceError) -> Wire.WatchTasks.Reply {
        let wanted = Array(ids.prefix(Self.maximumPageSize))
        let page = try await reading { () async throws(StoreError) in
            try await self.store.page(ids: wanted, byteLimit: Self.pageByteLimit)
        }
        let count = page.next.flatMap { wanted.firstIndex(of: $0) }.map { $0 + 1 } ?? wanted.count
        ids = ids.dropFirst(count)
        let found = Set(page.tasks.map(\.id))
        return Wire.WatchTasks.Reply(
            tasks: presented(page.tasks),
            removed: wanted.prefix(count).filter { !found.contains($0) }.map(\.rawValue)
        )
    }

    /// Returns the filter for the store; `nil` if there is no such application or session.
    private func filter(_ list: Wire.ListTasks) -> TaskFilter? {
        let states =
            list.states.map { Set($0.flatMap(\.records)) }
            ?? Set(TaskRecord.State.allCases)
        guard let name = list.application else { return TaskFilter(states: states) }
        return machine.scope(application: name, session: list.session)
            .map { TaskFilter(scope: $0, states: states) }
    }

    func task(_ id: TaskID) async throws(TransferInterfaceError) -> Wire.Task {
        let record = try await reading { () async throws(StoreError) in
            try await self.store.task(id: id)
        }
        guard let record else { throw .taskNotFound(.id(id)) }
        return machine.presentation(of: record, at: now)
    }

    /// Reports the states of tasks, and their changes.
    func watchTasks(_ call: MethodCall<Wire.WatchTasks>) {
        let number = CallID(makeNumber())
        let watcher = TaskWatcher(ids: call.parameters.taskIDs, reply: call.reply, daemon: self)
        watchers[number] = watcher
        call.reply.onClose = { [weak watcher] in watcher?.end() }
        watcher.start { [weak self] in self?.watchers[number] = nil }
    }

    // MARK: Applications and the daemon itself

    private func status() async throws(TransferInterfaceError) -> Wire.Status {
        let totals = try await reading { () async throws(StoreError) in
            try await self.store.totals()
        }
        let loading = machine.activeTaskCount
        return Wire.Status(
            version: FerryVersion.current,
            pid: getpid(),
            started: started,
            sockets: socketPaths,
            stateDirectory: files.stateDirectory,
            log: log.destination.description,
            running: loading,
            waiting: max(0, totals.waitingTasks - loading),
            suspended: totals.suspendedTasks,
            sessions: machine.openSessionCount,
            connections: connections.count,
            receiveRate: machine.ratesAtAnyHour.receive,
            sendRate: machine.ratesAtAnyHour.send,
            timetable: presentedTimetable(),
            inhibitors: sleepWatch?.held.map {
                Wire.Inhibitor(mode: $0.mode.rawValue, what: $0.what, why: $0.why)
            },
            avoided: machine.watch.avoided.names,
            conditions: machine.watch.present?.names,
            services: ConditionsMonitor.shared.services.map { Wire.ConditionsService($0) },
            settingFaults: presentedSettingFaults()
        )
    }

    /// Reads from the store, and converts its errors to the interface's.
    func reading<Value: Sendable>(
        _ body: @LoopActor () async throws(StoreError) -> Value
    ) async throws(TransferInterfaceError) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw TransferInterfaceError(error)
        }
    }
}

extension Wire.ConditionsService {
    fileprivate init(_ service: ConditionsService) {
        let state: Wire.ServiceState =
            switch service.state {
            case .waiting: .waiting
            case .answers: .answers
            case .absent: .absent
            case .silent: .silent
            }
        self.init(name: service.name, state: state)
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

extension Store {
    private static let pageSize = 100

    /// Answers a question of the state machine; a failure is an answer too.
    func answer(
        _ query: DaemonStateMachine.Query
    ) async -> Result<DaemonStateMachine.Finding, StoreError> {
        do throws(StoreError) {
            return .success(try await find(query))
        } catch {
            return .failure(error)
        }
    }

    private func find(
        _ query: DaemonStateMachine.Query
    ) async throws(StoreError) -> DaemonStateMachine.Finding {
        switch query {
        case .candidates(let search):
            .candidates(try await candidates(search), for: search)
        case .events(let id, let sequence, let limit, let call):
            .events(try await events(session: id, after: sequence, limit: limit), session: id, call)
        case .session(let id):
            .session(try await session(id: id))
        case .task(let key, let ending):
            .task(try await task(key), key, ending)
        case .repeated(let id, let call):
            .repeated(try await task(id: id), task: id, call)
        case .secured(let id, let upload, let call):
            .secured(try await task(id: id), task: id, upload, call)
        case .revise(let key, let revision, let call):
            .revise(try await task(key), key, revision, call)
        case .sweep(let call, let scope, let last):
            .sweep(try await tasks(filter(scope), after: last, limit: Self.pageSize), call)
        case .overdue(let now):
            .overdue(try await overdueTasks(at: now, limit: Self.pageSize))
        case .dated(let last):
            .dated(try await datedTasks(after: last, limit: Self.pageSize))
        case .earliestDeadline:
            .earliestDeadline(try await earliestDeadline())
        case .totals:
            .totals(try await totals())
        }
    }

    private func task(_ key: TaskKey) async throws(StoreError) -> TaskRecord? {
        switch key {
        case .id(let id):
            try await task(id: id)
        case .identifier(let session, let identifier):
            try await task(session: session, identifier: identifier)
        }
    }

    private func filter(_ scope: DaemonStateMachine.Sweep.Scope) -> TaskFilter {
        let unfinished = Set(TaskRecord.State.allCases).subtracting([.completed])
        return switch scope {
        case .application(let id): TaskFilter(scope: .application(id), states: unfinished)
        case .session(let id): TaskFilter(scope: .session(id), states: unfinished)
        }
    }
}
