import FerryStore
import FoundationEssentials

/// The tasks that have a transfer, and the budget of the places that they have.
struct RunningTasks: Hashable, Sendable {
    typealias RunningTask = DaemonStateMachine.RunningTask

    private var tasks: [Int64: RunningTask] = [:]
    /// The budget of the transfers that run at once.
    private(set) var budget: TransferBudget

    init(policy: DaemonPolicy) { budget = TransferBudget(policy: policy) }

    // MARK: Queries

    /// Whether no task runs.
    var isEmpty: Bool { tasks.isEmpty }

    /// The number of tasks that run.
    var count: Int { tasks.count }

    /// The tasks' numbers.
    var ids: Dictionary<Int64, RunningTask>.Keys { tasks.keys }

    /// The tasks, in no order.
    var values: Dictionary<Int64, RunningTask>.Values { tasks.values }

    /// A task, if it runs.
    subscript(id: Int64) -> RunningTask? { tasks[id] }

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

    /// Returns the tasks that meet a condition, in order.
    func sorted(where isMeant: (RunningTask) -> Bool) -> [RunningTask] {
        tasks.values.filter(isMeant).sorted { $0.record.id < $1.record.id }
    }

    // MARK: Start and end

    /// A task starts; it must be admitted.
    mutating func start(_ task: RunningTask, of application: Int64) {
        budget.take(session: task.record.sessionID, of: application, host: task.record.host)
        tasks[task.record.id] = task
    }

    /// A task has no transfer of its own.
    mutating func startWithoutPlace(_ task: RunningTask) {
        var task = task
        task.move(to: .none)
        tasks[task.record.id] = task
    }

    /// Changes a task, if it runs.
    ///
    /// - Parameters:
    ///   - id: The task's number.
    ///   - change: What happens to it.
    /// - Returns: What that returns; `nil` if the task does not run.
    @discardableResult
    mutating func update<Result>(
        _ id: Int64,
        _ change: (inout RunningTask) -> Result
    ) -> Result? {
        guard let index = tasks.index(forKey: id) else { return nil }
        return change(&tasks.values[index])
    }

    /// A task no longer runs: its place is free.
    ///
    /// - Parameter id: The task's number.
    /// - Returns: The task, if it has run.
    @discardableResult
    mutating func end(_ id: Int64) -> RunningTask? {
        guard let task = tasks.removeValue(forKey: id) else { return nil }
        giveBack(task)
        return task
    }

    /// The daemon stops: only what is complete continues.
    mutating func stop() { tasks = tasks.filter { $0.value.phase == .finishing } }

    // MARK: Places

    /// A task no longer needs its place.
    mutating func vacate(_ id: Int64) {
        guard let task = tasks[id] else { return }
        giveBack(task)
        tasks[id]?.move(to: .none)
    }

    private mutating func giveBack(_ task: RunningTask) {
        guard task.place != .none else { return }
        budget.give(
            session: task.record.sessionID,
            host: task.record.host,
            isParked: task.place == .parked
        )
    }

    /// A task waits for its application, and leaves its place to others.
    mutating func park(_ id: Int64) {
        guard let task = tasks[id], task.place == .transfer else { return }
        budget.park(session: task.record.sessionID, host: task.record.host)
        tasks[id]?.move(to: .parked)
    }

    /// A task that has waited for its application continues, even without room.
    mutating func unpark(_ id: Int64, at now: Date) {
        guard let task = tasks[id], task.place == .parked else { return }
        budget.unpark(session: task.record.sessionID, host: task.record.host)
        tasks[id]?.move(to: .transfer)
        tasks[id]?.restartPace(at: now)
    }

    // MARK: Lent connections

    /// A task is lent another connection.
    ///
    /// - Parameters:
    ///   - host: The host that it leads to.
    ///   - task: The task, which may have ended.
    ///   - session: Its session.
    ///   - application: Its application.
    mutating func lend(to host: String, for task: Int64, session: Int64, of application: Int64) {
        budget.take(session: session, of: application, host: host)
        tasks[task]?.lentConnections.lend(to: host)
    }

    /// A task returns a connection that it was lent, perhaps in an earlier attempt.
    ///
    /// - Parameters:
    ///   - host: The host that it leads to.
    ///   - task: The task, which may have ended.
    ///   - session: Its session.
    mutating func takeBack(from host: String, for task: Int64, session: Int64) {
        budget.give(session: session, host: host)
        tasks[task]?.lentConnections.takeBack(from: host)
    }
}
