import FerryStore
import FerryTransfer

/// The readings of tasks from the store, and the changes since.
///
/// The store answers in the order of the questions, and its answer about a task is valid unless a change of that task
/// was committed since. One rule applies to all readings: a task that has changed meanwhile is read again. Changes that
/// the disk has not taken yet are known here as well: until the store has them, its answer about the task must not
/// start it.
struct Readings: Hashable, Sendable {
    /// A question to the store.
    enum Question: Hashable, Sendable {
        /// The tasks that may start.
        case search
        /// The task that a call changes.
        case revision(CallID)
        /// The task that a caller ends.
        case ending(TaskKey, DaemonStateMachine.Ending.Caller)
        /// The tasks that a call ends.
        case sweep(CallID)
        /// The tasks that have taken too long.
        case overdue
    }

    /// The position of a question in the order of all questions and changes.
    struct Reading: Hashable, Sendable {
        fileprivate let turn: UInt64
    }

    private var turn: UInt64 = 0
    /// The unanswered readings by question, in order: the same question may be asked twice at once.
    private var asked: [Question: [Reading]] = [:]
    /// The readings that were asked and are not closed yet.
    private var open: Set<Reading> = []
    /// When each task last changed, as long as there is an older reading.
    private var changes: [TaskKey: UInt64] = [:]
    private var pruningCount = 1024
    private var unstoredCounts: [TaskID: Int] = [:]
    private var unstoredResources: [TaskID: UploadResource] = [:]

    /// Whether no reading is open, and the store has everything.
    var isEmpty: Bool {
        open.isEmpty && changes.isEmpty && unstoredCounts.isEmpty && unstoredResources.isEmpty
    }

    // MARK: Questions

    /// Records a question to the store.
    mutating func ask(_ question: Question) {
        turn += 1
        let reading = Reading(turn: turn)
        asked[question, default: []].append(reading)
        open.insert(reading)
    }

    /// The store has answered; its answer is used until the reading is closed.
    mutating func answered(_ question: Question) -> Reading? {
        guard let reading = asked[question]?.first else { return nil }
        asked[question]?.removeFirst()
        if asked[question]?.isEmpty == true { asked[question] = nil }
        return reading
    }

    /// Closes a reading whose answer is no longer used.
    mutating func close(_ reading: Reading) {
        open.remove(reading)
        if open.isEmpty {
            changes = [:]
        } else if changes.count > pruningCount {
            let oldest = open.map(\.turn).min() ?? turn
            changes = changes.filter { $0.value > oldest }
            // As all are examined, that is not repeated for each.
            pruningCount = max(1024, 2 * changes.count)
        }
    }

    // MARK: Changes

    /// A task changes.
    mutating func record(_ task: TaskID) { record(.id(task)) }

    /// Records the change of a task that may be known only by its number in its session.
    mutating func record(_ key: TaskKey) {
        guard !open.isEmpty else { return }
        turn += 1
        changes[key] = turn
    }

    /// Whether a task has changed since it was read.
    func hasChanged(_ task: TaskRecord, since reading: Reading?) -> Bool {
        guard let reading, !changes.isEmpty else { return false }
        let keys = [TaskKey.id(task.id), .identifier(session: task.sessionID, task.identifier)]
        return keys.contains { changes[$0].map { $0 > reading.turn } ?? false }
    }

    // MARK: What the store does not have yet

    /// The tasks whose stored state is out of date.
    var unstoredTasks: some Sequence<TaskID> { unstoredCounts.keys }

    /// Returns whether a task's stored state is out of date.
    func isUnstored(_ task: TaskID) -> Bool { unstoredCounts[task] != nil }

    /// A change that a task must not start without is being stored.
    mutating func store(_ task: TaskID) { unstoredCounts[task, default: 0] += 1 }

    /// The store has such a change, or never will.
    mutating func stored(_ task: TaskID) {
        let count = unstoredCounts[task] ?? 1
        unstoredCounts[task] = count > 1 ? count - 1 : nil
        if count <= 1 { unstoredResources[task] = nil }
        record(task)
    }

    /// An upload resumes elsewhere, which is stored next; `nil` if its server has lost it, which is stored later.
    mutating func move(_ task: TaskID, to resource: UploadResource?) {
        unstoredResources[task] = resource
    }

    /// Returns the latest resource of an upload that was read.
    func resource(of task: TaskRecord) -> UploadResource? {
        unstoredResources[task.id] ?? task.uploadResource
    }
}

extension DaemonStateMachine.Query {
    /// The question about tasks that may change meanwhile, if it is one.
    var question: Readings.Question? {
        switch self {
        case .candidates: .search
        case .revise(_, _, let call): .revision(call)
        case .task(let key, let ending): .ending(key, ending.caller)
        case .sweep(let call, _, _): .sweep(call)
        case .overdue: .overdue
        case .events, .session, .repeated, .secured, .earliestDeadline, .dated, .totals: nil
        }
    }
}

extension Mutation {
    /// The task that the change affects; progress is left out, as the transfer knows it better.
    var changedTask: TaskKey? {
        switch self {
        case .resumeTask(let key, _, _), .suspendTask(let key, _), .completeTask(let key, _),
            .describeTask(let key, _), .setOptions(let key, _), .prioritizeTask(let key, _),
            .avoidConditions(let key, _),
            .delayTask(let key, _, _, _), .beginTask(let key, _, _), .relinkTask(let key, _, _):
            key
        case .setUpload(let id, _), .setRetry(let id, _, _, _), .postponeTask(let id, _, _, _),
            .holdTask(let id, _), .releaseTask(let id, _), .retimeTask(let id, _, _, _),
            .deleteTask(let id):
            .id(id)
        case .openSession, .setLaunch, .setLaunchState, .setQuit, .deleteApplication,
            .setConfiguration, .deleteSession, .set, .insertTask, .setProgress, .setCheckpoint,
            .endNetworkWait, .setExchange, .distrustTimes, .acknowledge:
            nil
        }
    }
}
