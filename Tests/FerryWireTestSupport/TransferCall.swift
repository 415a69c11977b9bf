// Written by scripts/interface from io.ferry.Transfer.varlink: change that, and run `make interface`.

package import FerrySystem
package import FerryWire

/// A call of the interface, for tests that look at all calls in one place.
package enum TransferCall: Sendable {
    case openSession(Wire.OpenSession, Reply<Wire.OpenSession>)
    case createDownload(Wire.CreateDownload, Reply<Wire.CreateDownload>)
    case createUpload(Wire.CreateUpload, Reply<Wire.CreateUpload>)
    case resume(Wire.Resume, Reply<Wire.Resume>)
    case suspend(Wire.Suspend, Reply<Wire.Suspend>)
    case cancel(Wire.Cancel, Reply<Wire.Cancel>)
    case cancelProducingResumeData(
        Wire.CancelProducingResumeData,
        Reply<Wire.CancelProducingResumeData>
    )
    case setDescription(Wire.SetDescription, Reply<Wire.SetDescription>)
    case setPriority(Wire.SetPriority, Reply<Wire.SetPriority>)
    case setEarliestBegin(Wire.SetEarliestBegin, Reply<Wire.SetEarliestBegin>)
    case setOptions(Wire.SetOptions, Reply<Wire.SetOptions>)
    case setSessionRates(Wire.SetSessionRates, Reply<Wire.SetSessionRates>)
    case begin(Wire.Begin, Reply<Wire.Begin>)
    case relink(Wire.Relink, Reply<Wire.Relink>)
    case answerChallenge(Wire.AnswerChallenge, Reply<Wire.AnswerChallenge>)
    case acknowledge(Wire.Acknowledge, Reply<Wire.Acknowledge>)
    case closeSession(Wire.CloseSession, Reply<Wire.CloseSession>)
    case subscribe(Wire.Subscribe, Reply<Wire.Subscribe>)
    case streamEvents(Wire.StreamEvents, Reply<Wire.StreamEvents>)
    case receiveEvents(Wire.ReceiveEvents, Reply<Wire.ReceiveEvents>)
    case holdEvents(Wire.HoldEvents, Reply<Wire.HoldEvents>)
    case releaseSession(Wire.ReleaseSession, Reply<Wire.ReleaseSession>)
    case listTasks(Wire.ListTasks, Reply<Wire.ListTasks>)
    case getTask(Wire.GetTask, Reply<Wire.GetTask>)
    case listEndedTasks(Wire.ListEndedTasks, Reply<Wire.ListEndedTasks>)
    case watchTasks(Wire.WatchTasks, Reply<Wire.WatchTasks>)
    case pauseTask(Wire.PauseTask, Reply<Wire.PauseTask>)
    case resumeTask(Wire.ResumeTask, Reply<Wire.ResumeTask>)
    case cancelTask(Wire.CancelTask, Reply<Wire.CancelTask>)
    case setTaskRates(Wire.SetTaskRates, Reply<Wire.SetTaskRates>)
    case setTaskPriority(Wire.SetTaskPriority, Reply<Wire.SetTaskPriority>)
    case relinkTask(Wire.RelinkTask, Reply<Wire.RelinkTask>)
    case setRates(Wire.SetRates, Reply<Wire.SetRates>)
    case getTimetable(Wire.GetTimetable, Reply<Wire.GetTimetable>)
    case changeTimetable(Wire.ChangeTimetable, Reply<Wire.ChangeTimetable>)
    case listHooks(Wire.ListHooks, Reply<Wire.ListHooks>)
    case removeHook(Wire.RemoveHook, Reply<Wire.RemoveHook>)
    case quitApplication(Wire.QuitApplication, Reply<Wire.QuitApplication>)
    case getStatus(Wire.GetStatus, Reply<Wire.GetStatus>)
    case getSettings(Wire.GetSettings, Reply<Wire.GetSettings>)
    case reload(Wire.Reload, Reply<Wire.Reload>)
    case stop(Wire.Stop, Reply<Wire.Stop>)
}

/// A service that takes all calls in one place.
@LoopActor
package protocol TransferCallHandler: VarlinkServerHandler {
    /// Answers a call, or releases its reply, which answers it as well.
    func handle(_ call: TransferCall, from connection: VarlinkConnection)
}

extension TransferCallHandler {
    package func openSession(
        _ call: Wire.OpenSession,
        _ reply: Reply<Wire.OpenSession>,
        from connection: VarlinkConnection
    ) {
        handle(.openSession(call, reply), from: connection)
    }
    package func createDownload(
        _ call: Wire.CreateDownload,
        _ reply: Reply<Wire.CreateDownload>,
        from connection: VarlinkConnection
    ) {
        handle(.createDownload(call, reply), from: connection)
    }
    package func createUpload(
        _ call: Wire.CreateUpload,
        _ reply: Reply<Wire.CreateUpload>,
        from connection: VarlinkConnection
    ) {
        handle(.createUpload(call, reply), from: connection)
    }
    package func resume(
        _ call: Wire.Resume,
        _ reply: Reply<Wire.Resume>,
        from connection: VarlinkConnection
    ) {
        handle(.resume(call, reply), from: connection)
    }
    package func suspend(
        _ call: Wire.Suspend,
        _ reply: Reply<Wire.Suspend>,
        from connection: VarlinkConnection
    ) {
        handle(.suspend(call, reply), from: connection)
    }
    package func cancel(
        _ call: Wire.Cancel,
        _ reply: Reply<Wire.Cancel>,
        from connection: VarlinkConnection
    ) {
        handle(.cancel(call, reply), from: connection)
    }
    package func cancelProducingResumeData(
        _ call: Wire.CancelProducingResumeData,
        _ reply: Reply<Wire.CancelProducingResumeData>,
        from connection: VarlinkConnection
    ) {
        handle(.cancelProducingResumeData(call, reply), from: connection)
    }
    package func setDescription(
        _ call: Wire.SetDescription,
        _ reply: Reply<Wire.SetDescription>,
        from connection: VarlinkConnection
    ) {
        handle(.setDescription(call, reply), from: connection)
    }
    package func setPriority(
        _ call: Wire.SetPriority,
        _ reply: Reply<Wire.SetPriority>,
        from connection: VarlinkConnection
    ) {
        handle(.setPriority(call, reply), from: connection)
    }
    package func setEarliestBegin(
        _ call: Wire.SetEarliestBegin,
        _ reply: Reply<Wire.SetEarliestBegin>,
        from connection: VarlinkConnection
    ) {
        handle(.setEarliestBegin(call, reply), from: connection)
    }
    package func setOptions(
        _ call: Wire.SetOptions,
        _ reply: Reply<Wire.SetOptions>,
        from connection: VarlinkConnection
    ) {
        handle(.setOptions(call, reply), from: connection)
    }
    package func setSessionRates(
        _ call: Wire.SetSessionRates,
        _ reply: Reply<Wire.SetSessionRates>,
        from connection: VarlinkConnection
    ) {
        handle(.setSessionRates(call, reply), from: connection)
    }
    package func begin(
        _ call: Wire.Begin,
        _ reply: Reply<Wire.Begin>,
        from connection: VarlinkConnection
    ) {
        handle(.begin(call, reply), from: connection)
    }
    package func relink(
        _ call: Wire.Relink,
        _ reply: Reply<Wire.Relink>,
        from connection: VarlinkConnection
    ) {
        handle(.relink(call, reply), from: connection)
    }
    package func answerChallenge(
        _ call: Wire.AnswerChallenge,
        _ reply: Reply<Wire.AnswerChallenge>,
        from connection: VarlinkConnection
    ) {
        handle(.answerChallenge(call, reply), from: connection)
    }
    package func acknowledge(
        _ call: Wire.Acknowledge,
        _ reply: Reply<Wire.Acknowledge>,
        from connection: VarlinkConnection
    ) {
        handle(.acknowledge(call, reply), from: connection)
    }
    package func closeSession(
        _ call: Wire.CloseSession,
        _ reply: Reply<Wire.CloseSession>,
        from connection: VarlinkConnection
    ) {
        handle(.closeSession(call, reply), from: connection)
    }
    package func subscribe(
        _ call: Wire.Subscribe,
        _ reply: Reply<Wire.Subscribe>,
        from connection: VarlinkConnection
    ) {
        handle(.subscribe(call, reply), from: connection)
    }
    package func streamEvents(
        _ call: Wire.StreamEvents,
        _ reply: Reply<Wire.StreamEvents>,
        from connection: VarlinkConnection
    ) {
        handle(.streamEvents(call, reply), from: connection)
    }
    package func receiveEvents(
        _ call: Wire.ReceiveEvents,
        _ reply: Reply<Wire.ReceiveEvents>,
        from connection: VarlinkConnection
    ) {
        handle(.receiveEvents(call, reply), from: connection)
    }
    package func holdEvents(
        _ call: Wire.HoldEvents,
        _ reply: Reply<Wire.HoldEvents>,
        from connection: VarlinkConnection
    ) {
        handle(.holdEvents(call, reply), from: connection)
    }
    package func releaseSession(
        _ call: Wire.ReleaseSession,
        _ reply: Reply<Wire.ReleaseSession>,
        from connection: VarlinkConnection
    ) {
        handle(.releaseSession(call, reply), from: connection)
    }
    package func listTasks(
        _ call: Wire.ListTasks,
        _ reply: Reply<Wire.ListTasks>,
        from connection: VarlinkConnection
    ) {
        handle(.listTasks(call, reply), from: connection)
    }
    package func getTask(
        _ call: Wire.GetTask,
        _ reply: Reply<Wire.GetTask>,
        from connection: VarlinkConnection
    ) {
        handle(.getTask(call, reply), from: connection)
    }
    package func listEndedTasks(
        _ call: Wire.ListEndedTasks,
        _ reply: Reply<Wire.ListEndedTasks>,
        from connection: VarlinkConnection
    ) {
        handle(.listEndedTasks(call, reply), from: connection)
    }
    package func watchTasks(
        _ call: Wire.WatchTasks,
        _ reply: Reply<Wire.WatchTasks>,
        from connection: VarlinkConnection
    ) {
        handle(.watchTasks(call, reply), from: connection)
    }
    package func pauseTask(
        _ call: Wire.PauseTask,
        _ reply: Reply<Wire.PauseTask>,
        from connection: VarlinkConnection
    ) {
        handle(.pauseTask(call, reply), from: connection)
    }
    package func resumeTask(
        _ call: Wire.ResumeTask,
        _ reply: Reply<Wire.ResumeTask>,
        from connection: VarlinkConnection
    ) {
        handle(.resumeTask(call, reply), from: connection)
    }
    package func cancelTask(
        _ call: Wire.CancelTask,
        _ reply: Reply<Wire.CancelTask>,
        from connection: VarlinkConnection
    ) {
        handle(.cancelTask(call, reply), from: connection)
    }
    package func setTaskRates(
        _ call: Wire.SetTaskRates,
        _ reply: Reply<Wire.SetTaskRates>,
        from connection: VarlinkConnection
    ) {
        handle(.setTaskRates(call, reply), from: connection)
    }
    package func setTaskPriority(
        _ call: Wire.SetTaskPriority,
        _ reply: Reply<Wire.SetTaskPriority>,
        from connection: VarlinkConnection
    ) {
        handle(.setTaskPriority(call, reply), from: connection)
    }
    package func relinkTask(
        _ call: Wire.RelinkTask,
        _ reply: Reply<Wire.RelinkTask>,
        from connection: VarlinkConnection
    ) {
        handle(.relinkTask(call, reply), from: connection)
    }
    package func setRates(
        _ call: Wire.SetRates,
        _ reply: Reply<Wire.SetRates>,
        from connection: VarlinkConnection
    ) {
        handle(.setRates(call, reply), from: connection)
    }
    package func getTimetable(
        _ call: Wire.GetTimetable,
        _ reply: Reply<Wire.GetTimetable>,
        from connection: VarlinkConnection
    ) {
        handle(.getTimetable(call, reply), from: connection)
    }
    package func changeTimetable(
        _ call: Wire.ChangeTimetable,
        _ reply: Reply<Wire.ChangeTimetable>,
        from connection: VarlinkConnection
    ) {
        handle(.changeTimetable(call, reply), from: connection)
    }
    package func listHooks(
        _ call: Wire.ListHooks,
        _ reply: Reply<Wire.ListHooks>,
        from connection: VarlinkConnection
    ) {
        handle(.listHooks(call, reply), from: connection)
    }
    package func removeHook(
        _ call: Wire.RemoveHook,
        _ reply: Reply<Wire.RemoveHook>,
        from connection: VarlinkConnection
    ) {
        handle(.removeHook(call, reply), from: connection)
    }
    package func quitApplication(
        _ call: Wire.QuitApplication,
        _ reply: Reply<Wire.QuitApplication>,
        from connection: VarlinkConnection
    ) {
        handle(.quitApplication(call, reply), from: connection)
    }
    package func getStatus(
        _ call: Wire.GetStatus,
        _ reply: Reply<Wire.GetStatus>,
        from connection: VarlinkConnection
    ) {
        handle(.getStatus(call, reply), from: connection)
    }
    package func getSettings(
        _ call: Wire.GetSettings,
        _ reply: Reply<Wire.GetSettings>,
        from connection: VarlinkConnection
    ) {
        handle(.getSettings(call, reply), from: connection)
    }
    package func reload(
        _ call: Wire.Reload,
        _ reply: Reply<Wire.Reload>,
        from connection: VarlinkConnection
    ) {
        handle(.reload(call, reply), from: connection)
    }
    package func stop(
        _ call: Wire.Stop,
        _ reply: Reply<Wire.Stop>,
        from connection: VarlinkConnection
    ) {
        handle(.stop(call, reply), from: connection)
    }
}
