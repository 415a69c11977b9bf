package import FoundationEssentials

/// A change of a task from one state to another by a commit.
package struct TaskChange: Hashable, Sendable {
    /// ferryd's number for the task.
    package var id: Int64
    /// The session's number.
    package var sessionID: Int64
    /// The task's number within its session.
    package var identifier: Int
    /// The state before.
    package var from: TaskRecord.State
    /// The state now.
    package var to: TaskRecord.State
    /// When it now fails if it has not ended by then.
    package var deadline: Date?

    /// Creates a description of a change.
    package init(
        id: Int64,
        sessionID: Int64,
        identifier: Int,
        from: TaskRecord.State,
        to: TaskRecord.State,
        deadline: Date? = nil
    ) {
        self.id = id
        self.sessionID = sessionID
        self.identifier = identifier
        self.from = from
        self.to = to
        self.deadline = deadline
    }
}
