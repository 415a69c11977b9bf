package import FerryWire

/// What is remembered of a task that has ended and is gone.
package struct EndedTaskRecord: Hashable, Sendable {
    /// The number that the task had.
    package var id: TaskID
    /// What was known when it ended, without what became of its file since then.
    package var task: Encoded<Wire.EndedTask>
    /// Where its application has put its file, if it has said so.
    package var path: String?
    /// Whether its file was deleted before any application had taken it.
    package var isDiscarded: Bool

    /// Creates a record.
    package init(
        id: TaskID,
        task: Encoded<Wire.EndedTask>,
        path: String? = nil,
        isDiscarded: Bool = false
    ) {
        self.id = id
        self.task = task
        self.path = path
        self.isDiscarded = isDiscarded
    }
}
