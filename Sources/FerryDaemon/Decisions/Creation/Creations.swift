import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

/// The tasks that are being created, and those whose files are being taken over.
struct Creations: Hashable, Sendable {
    /// A call that creates a task.
    struct Creation: Hashable, Sendable {
        /// The session.
        var session: SessionID
        /// The task.
        var task: TaskRecord
        /// The method of its request.
        var method: String
        /// The URL of its request.
        var url: String
    }

    /// The number for the next task.
    private(set) var nextTaskID: TaskID
    private var creations: [CallID: Creation] = [:]
    /// The tasks whose resume data is being taken over, or whose file is being secured, until that is stored.
    private(set) var adoptions: Set<TaskID> = []
    /// Whether a task no longer waits for its file.
    private var adoptionEnd = Mark()

    init(nextTaskID: TaskID) { self.nextTaskID = nextTaskID }

    // MARK: Calls

    /// Whether no call creates a task.
    var isEmpty: Bool { creations.isEmpty }

    /// Whether a task is being created in a session.
    func isCreating(inSession session: SessionID) -> Bool {
        creations.values.contains { $0.session == session }
    }

    /// A call creates a task, which has the next number.
    mutating func begin(_ creation: Creation, for call: CallID) {
        nextTaskID = nextTaskID.next
        creations[call] = creation
    }

    /// The task of a call is in the store, or could not be put there.
    mutating func end(_ call: CallID) -> Creation? { creations.removeValue(forKey: call) }

    // MARK: Files

    /// Whether a file is being taken over for a task.
    func isAdopting(for task: TaskID) -> Bool { adoptions.contains(task) }

    /// A file is taken over for a task.
    ///
    /// - Parameter task: The task.
    /// - Returns: Whether that was not under way.
    @discardableResult
    mutating func beginAdoption(for task: TaskID) -> Bool { adoptions.insert(task).inserted }

    /// A file was taken over for a task, or is no longer needed.
    mutating func endAdoption(for task: TaskID) {
        if adoptions.remove(task) != nil { adoptionEnd.set() }
    }

    /// Returns whether a task no longer waits for its file, since this was last called.
    mutating func takeEnd() -> Bool { adoptionEnd.take() }
}

extension DaemonStateMachine {
    /// The properties that all calls for creating a task have in common.
    struct NewTask {
        /// The session.
        var session: SessionID
        /// The task's number in its session.
        var identifier: Int
        /// The request.
        var request: Wire.Request
        /// The application's description of it.
        var description: String?
        /// The priority.
        var priority: Double
        /// Whether it may run at once.
        var isResumed: Bool
        /// The earliest begin date.
        var earliestBegin: Wire.EarliestBegin?
        /// The options.
        var options: Wire.TransferOptions?

        init(_ create: Wire.CreateDownload) {
            session = create.sessionID
            identifier = create.identifier
            request = create.request
            description = create.description
            priority = create.priority
            isResumed = create.resumed ?? false
            earliestBegin = create.earliestBegin
            options = create.options
        }

        init(_ create: Wire.CreateUpload) {
            session = create.sessionID
            identifier = create.identifier
            request = create.request
            // It is not sent, and may be large.
            request.body = nil
            description = create.description
            priority = create.priority
            isResumed = create.resumed ?? false
            earliestBegin = create.earliestBegin
            options = create.options
        }
    }
}

extension DaemonStateMachine {
    /// Takes over the file of a task's resume data, if the task has not done so yet.
    ///
    /// The store keeps the resume data until then. If the daemon dies before, the next one takes the file over when the
    /// task is to load. Nothing is loaded until then.
    ///
    /// - Returns: Whether there is one to take over.
    @discardableResult
    mutating func adopt(_ task: TaskRecord) -> Bool {
        guard let resumeData = task.checkpoint?.value?.resumeData,
            creations.beginAdoption(for: task.id)
        else { return false }
        work.begin(in: .applicationFile)
        turn.add(.adopt(resumeData: resumeData, task))
        return true
    }

    /// The file of a task's resume data was taken over, or could not be.
    mutating func adopted(_ task: TaskRecord, _ result: Result<Checkpoint, TransferError>) {
        work.end(in: .applicationFile)
        // A task that ends, or has ended, does not need it.
        guard creations.isAdopting(for: task.id), !endings.contains(task.id) else {
            creations.endAdoption(for: task.id)
            return
        }
        switch result {
        case .success(let checkpoint):
            let state = ByteState(checkpoint: checkpoint, isFromResumeData: true)
            commit(
                [
                    .setCheckpoint(task: task.id, Encoded(state)),
                    .setProgress(
                        task: task.id,
                        receivedByteCount: checkpoint.writtenByteCount,
                        expectedByteCount: checkpoint.totalByteCount
                    ),
                ],
                then: .adopted(task: task.id)
            )
        case .failure(let error):
            turn.add(
                .log(.warning, "its resume data cannot be used: \(error.message)", task: task.id)
            )
            commit([mutation(after: error, of: task, at: now)], then: .adopted(task: task.id))
        }
    }

    private mutating func mutation(
        after error: TransferError,
        of task: TaskRecord,
        at now: Date
    ) -> Mutation {
        switch decision(after: error, failureCount: task.attempts + 1) {
        case .isFinal:
            // The task fails when it is resumed, not when it is made (RD-9, RD-10).
            return .setCheckpoint(task: task.id, Encoded(ByteState(failure: error)))
        case .retry(let delay):
            let failure = AttemptFailure(error, after: task.lastError?.value)
            // The application may meanwhile change when the task begins.
            return .postponeTask(
                task.id,
                attempts: error.code == .diskFull ? task.attempts : task.attempts + 1,
                until: now.addingTimeInterval(delay.inSeconds),
                lastError: Encoded(failure)
            )
        }
    }

    /// The store has the outcome of taking over a task's resume data.
    mutating func adoptionStored(task: TaskID) {
        creations.endAdoption(for: task)
        readings.record(task)
        turn.add(.changed(task: task))
    }

    /// The outcome of taking over a task's resume data could not be stored; it is tried again when the task is to load.
    mutating func adoptionNotStored(task: TaskID) {
        creations.endAdoption(for: task)
    }
}
