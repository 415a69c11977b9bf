import FerryStore
import FerryWire

/// A call about a session that its client has open.
protocol SessionCall {
    /// The session's number.
    var session: Int64 { get }
}

extension SessionCall {
    /// The session's number.
    var sessionID: SessionID { SessionID(session) }
}

/// A call about a task of such a session, known by its number there.
protocol SessionTaskCall: SessionCall {
    /// The task's number within its session.
    var identifier: Int { get }
}

extension SessionTaskCall {
    /// The reference to the task.
    var key: TaskKey { .identifier(session: sessionID, identifier) }
}

/// A person's call about a task, known by ferryd's number.
protocol TaskCall {
    /// ferryd's number for the task.
    var id: Int64 { get }
}

extension TaskCall {
    /// ferryd's number for the task.
    var taskID: TaskID { TaskID(id) }
}

/// A person's call about some tasks, known by ferryd's numbers, or about all.
protocol TasksCall {
    /// ferryd's numbers for the tasks; `nil` for all.
    var ids: [Int64]? { get }
}

extension TasksCall {
    /// ferryd's numbers for the tasks; `nil` for all.
    var taskIDs: [TaskID]? { ids?.map { TaskID($0) } }
}

extension Wire.SetSessionRates: SessionCall {}
extension Wire.Acknowledge: SessionCall {}
extension Wire.CloseSession: SessionCall {}
extension Wire.ReleaseSession: SessionCall {}
extension Wire.Subscribe: SessionCall {}
extension Wire.ReceiveEvents: SessionCall {}
extension Wire.HoldEvents: SessionCall {}

extension Wire.CreateDownload: SessionTaskCall {}
extension Wire.CreateUpload: SessionTaskCall {}
extension Wire.CancelProducingResumeData: SessionTaskCall {}
extension Wire.Resume: SessionTaskCall {}
extension Wire.Suspend: SessionTaskCall {}
extension Wire.Cancel: SessionTaskCall {}
extension Wire.SetDescription: SessionTaskCall {}
extension Wire.SetPriority: SessionTaskCall {}
extension Wire.SetEarliestBegin: SessionTaskCall {}
extension Wire.SetOptions: SessionTaskCall {}
extension Wire.Begin: SessionTaskCall {}
extension Wire.Relink: SessionTaskCall {}
extension Wire.AnswerChallenge: SessionTaskCall {}

extension Wire.GetTask: TaskCall {}
extension Wire.PauseTask: TaskCall {}
extension Wire.ResumeTask: TaskCall {}
extension Wire.CancelTask: TaskCall {}
extension Wire.RelinkTask: TaskCall {}
extension Wire.SetTaskRates: TaskCall {}
extension Wire.SetTaskPriority: TaskCall {}

extension Wire.ListEndedTasks: TasksCall {}
extension Wire.WatchTasks: TasksCall {}

extension TaskKey {
    /// The number by which the caller knows the task, for either kind of key.
    fileprivate var number: Int64 {
        switch self {
        case .id(let id): id.rawValue
        case .identifier(_, let identifier): Int64(identifier)
        }
    }
}

extension TransferInterfaceError {
    /// The error for a session that its caller does not have open.
    static func sessionNotOpen(_ session: SessionID) -> Self {
        .sessionNotOpen(session: session.rawValue)
    }

    /// The error for a task that does not exist.
    static func taskNotFound(_ key: TaskKey) -> Self { .taskNotFound(id: key.number) }
}
