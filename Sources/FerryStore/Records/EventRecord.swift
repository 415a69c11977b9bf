package import FoundationEssentials

/// A final event of a task that its application has not acknowledged.
package struct EventRecord: Hashable, Sendable {
    /// The session's number.
    package var sessionID: Int64
    /// The event's number within its session, rising and never used again.
    package var sequence: Int64
    /// ferryd's number for the task.
    package var taskID: Int64
    /// The task's number within its session.
    package var taskIdentifier: Int
    /// The kind of event, in ferryd's numbering.
    package var kind: Int
    /// The details, in ferryd's encoding.
    package var payload: [UInt8]
    /// When it happened.
    package var createdAt: Date

    /// Creates a record of an event.
    package init(
        sessionID: Int64,
        sequence: Int64,
        taskID: Int64,
        taskIdentifier: Int,
        kind: Int,
        payload: [UInt8],
        createdAt: Date
    ) {
        self.sessionID = sessionID
        self.sequence = sequence
        self.taskID = taskID
        self.taskIdentifier = taskIdentifier
        self.kind = kind
        self.payload = payload
        self.createdAt = createdAt
    }
}
