import FerryStore

/// The tasks that are being created, and those whose files are being taken over.
struct Creations: Hashable, Sendable {
    typealias CallIdentifier = DaemonStateMachine.CallIdentifier

    /// A call that creates a task.
    struct Creation: Hashable, Sendable {
        /// The session.
        var session: Int64
        /// The task.
        var task: TaskRecord
        /// The method of its request.
        var method: String
        /// The URL of its request.
        var url: String
    }

    /// The number for the next task.
    private(set) var nextTaskID: Int64
    private var creations: [CallIdentifier: Creation] = [:]
    /// The tasks whose resume data is being taken over, or whose file is being secured, until that is stored.
    private(set) var adoptions: Set<Int64> = []

    init(nextTaskID: Int64) { self.nextTaskID = nextTaskID }

    // MARK: Calls

    /// Whether no call creates a task.
    var isEmpty: Bool { creations.isEmpty }

    /// Whether a task is being created in a session.
    func isCreating(inSession session: Int64) -> Bool {
        creations.values.contains { $0.session == session }
    }

    /// A call creates a task, which has the next number.
    mutating func begin(_ creation: Creation, for call: CallIdentifier) {
        nextTaskID += 1
        creations[call] = creation
    }

    /// The task of a call is in the store, or could not be put there.
    mutating func end(_ call: CallIdentifier) -> Creation? { creations.removeValue(forKey: call) }

    // MARK: Files

    /// Whether a file is being taken over for a task.
    func isAdopting(for task: Int64) -> Bool { adoptions.contains(task) }

    /// A file is taken over for a task.
    ///
    /// - Parameter task: The task.
    /// - Returns: Whether that was not under way.
    @discardableResult
    mutating func beginAdoption(for task: Int64) -> Bool { adoptions.insert(task).inserted }

    /// A file was taken over for a task, or is no longer needed.
    mutating func endAdoption(for task: Int64) { adoptions.remove(task) }
}
