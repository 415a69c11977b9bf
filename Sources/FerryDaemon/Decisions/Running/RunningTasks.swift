import FerryStore
import FerryWire
import FoundationEssentials

/// The tasks that have a transfer, and the budget of the slots that they have.
struct RunningTasks: Hashable, Sendable {
    typealias RunningTask = DaemonStateMachine.RunningTask

    private var tasks: [TaskID: RunningTask] = [:]
    /// The tasks by their requests, so that equal ones are found without a look at all others.
    private var tasksByRequest: [Encoded<Wire.Request>: Set<TaskID>] = [:]
    /// The tasks that have left their slots before their ends.
    private var released: Set<TaskID> = []
    /// The budget of the transfers that run at once.
    private(set) var budget: TransferBudget
    /// Whether a slot is free, or a task may be found again.
    private var room = Mark()
    /// Whether what the tasks need held against the machine's sleep has changed.
    private var activity = Mark()

    init(policy: DaemonPolicy) { budget = TransferBudget(policy: policy) }

    /// Changes the limits of the transfers that run at once; those that run keep their slots.
    mutating func limit(by policy: DaemonPolicy) { budget.limit(by: policy) }

    // MARK: Queries

    /// Whether no task runs.
    var isEmpty: Bool { tasks.isEmpty }

    /// The number of tasks that run.
    var count: Int { tasks.count }

    /// The tasks' numbers.
    var ids: Dictionary<TaskID, RunningTask>.Keys { tasks.keys }

    /// The tasks, in no order.
    var values: Dictionary<TaskID, RunningTask>.Values { tasks.values }

    /// A task, if it runs.
    subscript(id: TaskID) -> RunningTask? { tasks[id] }

    /// A task, if it runs.
    subscript(key: TaskKey) -> RunningTask? {
        switch key {
        case .id(let id):
            tasks[id]
        case .identifier(let session, let identifier):
            tasks.values.first {
                $0.record.sessionID == session && $0.record.identifier == identifier
            }
        }
    }

    /// The number of tasks that have left their slots before their ends.
    var releasedCount: Int { released.count }

    /// Returns the tasks with a request, in no order.
    func tasks(requesting request: Encoded<Wire.Request>) -> [RunningTask] {
        tasksByRequest[request, default: []].compactMap { tasks[$0] }
    }

    /// Returns the tasks that meet a condition, in order.
    func sorted(where isMeant: (RunningTask) -> Bool) -> [RunningTask] {
        tasks.values.filter(isMeant).sorted { $0.record.id < $1.record.id }
    }

    /// Returns the number of a session's tasks that have a slot.
    func count(of session: SessionID) -> Int {
        tasks.values.count {
            $0.record.sessionID == session && $0.slot == .transfer
                && !released.contains($0.record.id)
        }
    }

    // MARK: Start and end

    /// A task starts; it must be admitted if it needs a slot.
    mutating func start(_ task: RunningTask, of application: ApplicationID) {
        if task.slot == .transfer {
            budget.take(session: task.record.sessionID, of: application, host: task.record.host)
        }
        activity.set()
        tasks[task.record.id] = task
        tasksByRequest[task.record.request, default: []].insert(task.record.id)
    }

    /// Changes a task, if it runs.
    ///
    /// - Parameters:
    ///   - id: The task's number.
    ///   - change: What happens to it.
    /// - Returns: What that returns; `nil` if the task does not run.
    @discardableResult
    mutating func update<Result>(_ id: TaskID, _ change: (inout RunningTask) -> Result) -> Result? {
        tasks.update(id) { task in
            let before = task.inhibition
            defer { if task.inhibition != before { activity.set() } }
            return change(&task)
        }
    }

    /// A task no longer runs: its slot is free.
    ///
    /// - Parameter id: The task's number.
    /// - Returns: The task, if it has run.
    @discardableResult
    mutating func end(_ id: TaskID) -> RunningTask? {
        guard var task = tasks.removeValue(forKey: id) else { return nil }
        room.set()
        activity.set()
        forget(task)
        task.release(in: &budget)
        return task
    }

    /// The daemon stops: only what is complete continues.
    mutating func stop() {
        for task in tasks.values where task.phase != .finishing {
            tasks[task.record.id] = nil
            forget(task)
        }
    }

    private mutating func forget(_ task: RunningTask) {
        released.remove(task.record.id)
        let request = task.record.request
        guard let index = tasksByRequest.index(forKey: request) else { return }
        tasksByRequest.values[index].remove(task.record.id)
        if tasksByRequest.values[index].isEmpty { tasksByRequest.remove(at: index) }
    }

    // MARK: Slots

    /// A task no longer needs its slot.
    mutating func release(_ id: TaskID) {
        guard tasks[id] != nil else { return }
        room.set()
        tasks[id]?.release(in: &budget)
        released.insert(id)
    }

    /// A task waits for its application, and leaves its slot to others.
    mutating func beginWait(_ id: TaskID) {
        room.set()
        tasks[id]?.beginWait(in: &budget)
    }

    /// A task that has waited for its application continues, even without room.
    mutating func endWait(_ id: TaskID, at now: Date) { tasks[id]?.endWait(in: &budget, at: now) }

    // MARK: Marks

    /// Returns whether a slot is free, or a task may be found again, since this was last called.
    mutating func takeRoom() -> Bool { room.take() }

    /// Returns whether what is to be held against the machine's sleep has changed since this was last called.
    mutating func takeActivity() -> Bool { activity.take() }

    // MARK: Lent connections

    /// A task is lent another connection.
    ///
    /// - Parameters:
    ///   - host: The host that it leads to.
    ///   - task: The task, which may have ended.
    ///   - session: Its session.
    ///   - application: Its application.
    mutating func lend(
        to host: String,
        for task: TaskID,
        session: SessionID,
        of application: ApplicationID
    ) {
        budget.take(session: session, of: application, host: host)
        tasks[task]?.lentConnections.lend(to: host)
    }

    /// A task returns a connection that it was lent, perhaps in an earlier attempt.
    ///
    /// - Parameters:
    ///   - host: The host that it leads to.
    ///   - task: The task, which may have ended.
    ///   - session: Its session.
    mutating func takeBack(from host: String, for task: TaskID, session: SessionID) {
        budget.give(session: session, host: host)
        tasks[task]?.lentConnections.takeBack(from: host)
    }
}
