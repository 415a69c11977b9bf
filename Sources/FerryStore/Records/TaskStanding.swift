/// What has become of a task, without what it consists of.
package struct TaskStanding: Hashable, Sendable {
    /// The task's number.
    package var id: Int64
    /// Its session.
    package var sessionID: Int64
    /// What it is doing.
    package var state: TaskRecord.State
    /// Whether its last attempt has failed.
    package var hasFailed: Bool

    package init(id: Int64, sessionID: Int64, state: TaskRecord.State, hasFailed: Bool) {
        self.id = id
        self.sessionID = sessionID
        self.state = state
        self.hasFailed = hasFailed
    }
}
