import FerryStore

/// The tasks that are ending, and the callers that wait for that.
struct TaskEndings: Hashable, Sendable {
    typealias CallIdentifier = DaemonStateMachine.CallIdentifier
    typealias Caller = DaemonStateMachine.Ending.Caller
    typealias Sweep = DaemonStateMachine.Sweep

    private var callers: [Int64: [Caller]] = [:]
    private var sweeps: [CallIdentifier: Sweep] = [:]

    /// Whether no task ends.
    var isEmpty: Bool { callers.isEmpty && sweeps.isEmpty }

    // MARK: One task

    /// The tasks that end.
    var tasks: some Sequence<Int64> { callers.keys }

    /// Whether a task ends.
    func contains(_ task: Int64) -> Bool { callers[task] != nil }

    /// A task ends from now on.
    mutating func begin(_ task: Int64) { callers[task] = [] }

    /// Another caller waits for the end of a task.
    mutating func join(_ task: Int64, _ caller: Caller) {
        if caller != .nobody { callers[task]?.append(caller) }
    }

    /// A task has ended, or could not be ended; returns the other callers that have waited for that.
    mutating func finish(_ task: Int64) -> [Caller] { callers.removeValue(forKey: task) ?? [] }

    // MARK: Many tasks

    /// A pass over many tasks, which a call waits for, begins.
    mutating func begin(_ sweep: Sweep, for call: CallIdentifier) { sweeps[call] = sweep }

    /// The next tasks of a pass end.
    ///
    /// - Returns: The pass; `nil` when it is over.
    mutating func `continue`(_ call: CallIdentifier, with tasks: [TaskRecord]) -> Sweep? {
        guard var sweep = sweeps[call], let last = tasks.last else { return nil }
        sweep.lastTask = last.id
        sweep.outstanding = tasks.count
        sweep.count += tasks.count
        sweeps[call] = sweep
        return sweep
    }

    /// A task of a pass has ended.
    ///
    /// - Returns: The pass if all tasks that were found have ended, so that it continues.
    mutating func endedOne(of call: CallIdentifier) -> Sweep? {
        sweeps[call]?.outstanding -= 1
        return sweeps[call].flatMap { $0.outstanding == 0 ? $0 : nil }
    }

    /// A pass is over.
    mutating func endSweep(of call: CallIdentifier) -> Sweep? { sweeps.removeValue(forKey: call) }
}

extension DaemonStateMachine {
    /// A pass over all unfinished tasks of an application or a session.
    struct Sweep: Hashable, Sendable {
        /// The owner of the tasks.
        enum Scope: Hashable, Sendable {
            /// An application's.
            case application(Int64)
            /// A session's.
            case session(Int64)
        }

        /// The owner of the tasks.
        let scope: Scope
        /// How they end.
        let ending: Ending
        /// The last task that was seen.
        fileprivate(set) var lastTask: Int64 = 0
        /// The number of tasks of the current page that have not ended yet.
        fileprivate var outstanding = 0
        /// The number of tasks that have ended.
        fileprivate(set) var count = 0

        init(scope: Scope, ending: Ending) {
            self.scope = scope
            self.ending = ending
        }
    }
}
