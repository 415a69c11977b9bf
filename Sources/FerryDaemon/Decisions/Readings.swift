import FerryStore
import FerryTransfer

/// What the store is asked about tasks, and what has changed since.
///
/// The store answers in the order in which it is asked, and what it says of a task holds unless a change of that task
/// was committed since. One rule for all readings: what has changed meanwhile is read again. A change that the disk has
/// not taken yet is known here as well: until the store has it, nothing that it says of the task is good for a start.
struct Readings: Hashable, Sendable {
    /// What is asked.
    enum Question: Hashable, Sendable {
        /// Which tasks may start.
        case search
        /// How a task is that a call changes.
        case revision(DaemonStateMachine.CallIdentifier)
        /// How a task is that a caller ends.
        case ending(TaskKey, DaemonStateMachine.Ending.Caller)
        /// Which tasks a call ends.
        case sweep(DaemonStateMachine.CallIdentifier)
        /// Which tasks have taken too long.
        case overdue
    }

    /// When something was asked, in the order of all questions and changes.
    struct Reading: Hashable, Sendable {
        fileprivate let turn: UInt64
    }

    private var turn: UInt64 = 0
    /// Those that were not answered yet, by what was asked, in order: the same may be asked twice at once.
    private var asked: [Question: [Reading]] = [:]
    /// Those that were asked, and that are not used any more.
    private var open: Set<Reading> = []
    /// When each task has changed last, as long as there is a reading that is older.
    private var changes: [TaskKey: UInt64] = [:]
    private var pruningCount = 1024
    private var unstoredCounts: [Int64: Int] = [:]
    private var unstoredResources: [Int64: UploadResource] = [:]

    /// Whether nothing is asked, and the store has everything.
    var isEmpty: Bool {
        open.isEmpty && changes.isEmpty && unstoredCounts.isEmpty && unstoredResources.isEmpty
    }

    // MARK: Questions

    /// The store is asked.
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

    /// An answer is not used any more.
    mutating func close(_ reading: Reading) {
        open.remove(reading)
        if open.isEmpty {
            changes = [:]
        } else if changes.count > pruningCount {
            let oldest = open.map(\.turn).min() ?? turn
            changes = changes.filter { $0.value > oldest }
            // As all are looked at, that is not done again for each.
            pruningCount = max(1024, 2 * changes.count)
        }
    }

    // MARK: Changes

    /// A task changes.
    mutating func note(_ task: Int64) { note(.id(task)) }

    /// A task changes, of which perhaps only its session knows which one it is.
    mutating func note(_ key: TaskKey) {
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

    /// The tasks that the store knows other than they are.
    var unstoredTasks: some Sequence<Int64> { unstoredCounts.keys }

    /// Whether the store knows a task other than it is.
    func isUnstored(_ task: Int64) -> Bool { unstoredCounts[task] != nil }

    /// A change of a task is on its way into the store, without which the task must not start.
    mutating func store(_ task: Int64) { unstoredCounts[task, default: 0] += 1 }

    /// The store has such a change, or never will.
    mutating func stored(_ task: Int64) {
        let count = unstoredCounts[task] ?? 1
        unstoredCounts[task] = count > 1 ? count - 1 : nil
        if count <= 1 { unstoredResources[task] = nil }
        note(task)
    }

    /// An upload goes on elsewhere, which is stored next; `nil` where its server has forgotten it, which is stored later.
    mutating func move(_ task: Int64, to resource: UploadResource?) {
        unstoredResources[task] = resource
    }

    /// Where an upload goes on, by what was read of it.
    func resource(of task: TaskRecord) -> UploadResource? {
        unstoredResources[task.id] ?? task.uploadResource
    }
}

extension DaemonStateMachine.Query {
    /// What is asked about tasks that may change meanwhile.
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
    /// The task that is another one afterwards; how far a transfer is, its transfer knows better.
    var changedTask: TaskKey? {
        switch self {
        case .resumeTask(let key, _, _), .suspendTask(let key, _), .completeTask(let key, _, _),
            .describeTask(let key, _), .setOptions(let key, _), .prioritizeTask(let key, _),
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
