/// The event that reports the end of a task, and that its application has not acknowledged.
package struct EventRecord: Hashable, Sendable {
    /// The event's number within its session, rising and never used again.
    package var sequence: Int64
    /// ferryd's number for the task.
    package var taskID: Int64
    /// The event, in ferryd's encoding.
    package var event: [UInt8]

    /// Creates a record of an event.
    package init(sequence: Int64, taskID: Int64, event: [UInt8]) {
        self.sequence = sequence
        self.taskID = taskID
        self.event = event
    }
}
