/// A call of the interface, its parameters decoded, and where its answer goes.
package enum TransferCall: Sendable {
    /// ``Wire/OpenSession``: opens a session for its application, which learns of its events until
    /// the connection closes.
    case openSession(Wire.OpenSession, Reply<Wire.OpenSession>)
    /// ``Wire/CreateDownload``: makes a suspended download.
    case createDownload(Wire.CreateDownload, Reply<Wire.CreateDownload>)
    /// ``Wire/CreateUpload``: makes a suspended upload; the reply has the file.
    case createUpload(Wire.CreateUpload, Reply<Wire.CreateUpload>)
    /// ``Wire/Resume``: lets a suspended task run.
    case resume(Wire.Resume, Reply<Wire.Resume>)
    /// ``Wire/Suspend``: stops a task until it is resumed; the bytes it has are kept.
    case suspend(Wire.Suspend, Reply<Wire.Suspend>)
    /// ``Wire/Cancel``: ends a task; its completed event follows.
    case cancel(Wire.Cancel, Reply<Wire.Cancel>)
    /// ``Wire/CancelProducingResumeData``: ends a task such that it can be continued.
    case cancelProducingResumeData(
        Wire.CancelProducingResumeData,
        Reply<Wire.CancelProducingResumeData>
    )
    /// ``Wire/SetDescription``: changes the application's own words on a task.
    case setDescription(Wire.SetDescription, Reply<Wire.SetDescription>)
    /// ``Wire/SetPriority``: changes how important a task is.
    case setPriority(Wire.SetPriority, Reply<Wire.SetPriority>)
    /// ``Wire/SetEarliestBegin``: changes until when a task does not begin.
    case setEarliestBegin(Wire.SetEarliestBegin, Reply<Wire.SetEarliestBegin>)
    /// ``Wire/SetOptions``: changes how a task is carried out.
    case setOptions(Wire.SetOptions, Reply<Wire.SetOptions>)
    /// ``Wire/SetSessionRates``: changes how fast a session's tasks together may load and send.
    case setSessionRates(Wire.SetSessionRates, Reply<Wire.SetSessionRates>)
    /// ``Wire/Begin``: lets a task begin whose application was asked about it.
    case begin(Wire.Begin, Reply<Wire.Begin>)
    /// ``Wire/AnswerChallenge``: answers a challenge.
    case answerChallenge(Wire.AnswerChallenge, Reply<Wire.AnswerChallenge>)
    /// ``Wire/Acknowledge``: says that an event has been dealt with; it is not told again and its
    /// file is deleted.
    case acknowledge(Wire.Acknowledge, Reply<Wire.Acknowledge>)
    /// ``Wire/CloseSession``: ends a session for good, once its tasks are done.
    case closeSession(Wire.CloseSession, Reply<Wire.CloseSession>)
    /// ``Wire/Subscribe``: tells a session's events: first those not acknowledged yet, then
    /// drained, then each as it happens.
    case subscribe(Wire.Subscribe, Reply<Wire.Subscribe>)
    /// ``Wire/ListTasks``: lists tasks in the order of their ids, a page at a time.
    case listTasks(Wire.ListTasks, Reply<Wire.ListTasks>)
    /// ``Wire/GetTask``: tells how a task stands.
    case getTask(Wire.GetTask, Reply<Wire.GetTask>)
    /// ``Wire/WatchTasks``: tells how tasks stand and, when called with more, how they change.
    case watchTasks(Wire.WatchTasks, Reply<Wire.WatchTasks>)
    /// ``Wire/PauseTask``: holds a task back, whatever its application wants, until ResumeTask.
    case pauseTask(Wire.PauseTask, Reply<Wire.PauseTask>)
    /// ``Wire/ResumeTask``: lets a paused task run; one that backs off tries again at once.
    case resumeTask(Wire.ResumeTask, Reply<Wire.ResumeTask>)
    /// ``Wire/CancelTask``: ends a task; its application learns of it.
    case cancelTask(Wire.CancelTask, Reply<Wire.CancelTask>)
    /// ``Wire/SetTaskRates``: changes how fast a task may load and send, for a person.
    case setTaskRates(Wire.SetTaskRates, Reply<Wire.SetTaskRates>)
    /// ``Wire/SetTaskPriority``: changes how important a task is, for a person.
    case setTaskPriority(Wire.SetTaskPriority, Reply<Wire.SetTaskPriority>)
    /// ``Wire/SetRates``: changes how fast all tasks together may load and send.
    case setRates(Wire.SetRates, Reply<Wire.SetRates>)
    /// ``Wire/ListHooks``: lists the applications that the daemon may start.
    case listHooks(Wire.ListHooks, Reply<Wire.ListHooks>)
    /// ``Wire/RemoveHook``: forgets how to start an application, until it opens a session again.
    case removeHook(Wire.RemoveHook, Reply<Wire.RemoveHook>)
    /// ``Wire/QuitApplication``: cancels an application's tasks because its user quit it, and
    /// starts it no more until its user does.
    case quitApplication(Wire.QuitApplication, Reply<Wire.QuitApplication>)
    /// ``Wire/GetStatus``: tells how the daemon stands.
    case getStatus(Wire.GetStatus, Reply<Wire.GetStatus>)
    /// ``Wire/Stop``: stops the daemon; its tasks go on when it is started again.
    case stop(Wire.Stop, Reply<Wire.Stop>)
}
