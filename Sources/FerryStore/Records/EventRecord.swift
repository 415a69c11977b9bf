package import FerryWire

/// The event that reports the end of a task, and that its application has not acknowledged.
package struct EventRecord: Hashable, Sendable {
    /// The event's number within its session, rising and never used again.
    package var sequence: Int64
    /// ferryd's number for the task.
    package var taskID: TaskID
    /// The event, without its number and its path.
    package var event: Encoded<Wire.Event>
    /// The absolute path of the task's file when it ended; `nil` if there was none.
    package var path: String?

    /// Creates a record of an event.
    package init(
        sequence: Int64,
        taskID: TaskID,
        event: Encoded<Wire.Event>,
        path: String? = nil
    ) {
        self.sequence = sequence
        self.taskID = taskID
        self.event = event
        self.path = path
    }
}
