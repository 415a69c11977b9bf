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
    package func openSession(_ call: MethodCall<Wire.OpenSession>) {
        handle(.openSession(call.parameters, call.reply), from: call.connection)
    }
    package func createDownload(_ call: MethodCall<Wire.CreateDownload>) {
        handle(.createDownload(call.parameters, call.reply), from: call.connection)
    }
    package func createUpload(_ call: MethodCall<Wire.CreateUpload>) {
        handle(.createUpload(call.parameters, call.reply), from: call.connection)
    }
    package func resume(_ call: MethodCall<Wire.Resume>) {
        handle(.resume(call.parameters, call.reply), from: call.connection)
    }
    package func suspend(_ call: MethodCall<Wire.Suspend>) {
        handle(.suspend(call.parameters, call.reply), from: call.connection)
    }
    package func cancel(_ call: MethodCall<Wire.Cancel>) {
        handle(.cancel(call.parameters, call.reply), from: call.connection)
    }
    package func cancelProducingResumeData(_ call: MethodCall<Wire.CancelProducingResumeData>) {
        handle(.cancelProducingResumeData(call.parameters, call.reply), from: call.connection)
    }
    package func setDescription(_ call: MethodCall<Wire.SetDescription>) {
        handle(.setDescription(call.parameters, call.reply), from: call.connection)
    }
    package func setPriority(_ call: MethodCall<Wire.SetPriority>) {
        handle(.setPriority(call.parameters, call.reply), from: call.connection)
    }
    package func setEarliestBegin(_ call: MethodCall<Wire.SetEarliestBegin>) {
        handle(.setEarliestBegin(call.parameters, call.reply), from: call.connection)
    }
    package func setOptions(_ call: MethodCall<Wire.SetOptions>) {
        handle(.setOptions(call.parameters, call.reply), from: call.connection)
    }
    package func setSessionRates(_ call: MethodCall<Wire.SetSessionRates>) {
        handle(.setSessionRates(call.parameters, call.reply), from: call.connection)
    }
    package func begin(_ call: MethodCall<Wire.Begin>) {
        handle(.begin(call.parameters, call.reply), from: call.connection)
    }
    package func relink(_ call: MethodCall<Wire.Relink>) {
        handle(.relink(call.parameters, call.reply), from: call.connection)
    }
    package func answerChallenge(_ call: MethodCall<Wire.AnswerChallenge>) {
        handle(.answerChallenge(call.parameters, call.reply), from: call.connection)
    }
    package func acknowledge(_ call: MethodCall<Wire.Acknowledge>) {
        handle(.acknowledge(call.parameters, call.reply), from: call.connection)
    }
    package func closeSession(_ call: MethodCall<Wire.CloseSession>) {
        handle(.closeSession(call.parameters, call.reply), from: call.connection)
    }
    package func subscribe(_ call: MethodCall<Wire.Subscribe>) {
        handle(.subscribe(call.parameters, call.reply), from: call.connection)
    }
    package func streamEvents(_ call: MethodCall<Wire.StreamEvents>) {
        handle(.streamEvents(call.parameters, call.reply), from: call.connection)
    }
    package func receiveEvents(_ call: MethodCall<Wire.ReceiveEvents>) {
        handle(.receiveEvents(call.parameters, call.reply), from: call.connection)
    }
    package func holdEvents(_ call: MethodCall<Wire.HoldEvents>) {
        handle(.holdEvents(call.parameters, call.reply), from: call.connection)
    }
    package func releaseSession(_ call: MethodCall<Wire.ReleaseSession>) {
        handle(.releaseSession(call.parameters, call.reply), from: call.connection)
    }
    package func listTasks(_ call: MethodCall<Wire.ListTasks>) {
        handle(.listTasks(call.parameters, call.reply), from: call.connection)
    }
    package func getTask(_ call: MethodCall<Wire.GetTask>) {
        handle(.getTask(call.parameters, call.reply), from: call.connection)
    }
    package func listEndedTasks(_ call: MethodCall<Wire.ListEndedTasks>) {
        handle(.listEndedTasks(call.parameters, call.reply), from: call.connection)
    }
    package func watchTasks(_ call: MethodCall<Wire.WatchTasks>) {
        handle(.watchTasks(call.parameters, call.reply), from: call.connection)
    }
    package func pauseTask(_ call: MethodCall<Wire.PauseTask>) {
        handle(.pauseTask(call.parameters, call.reply), from: call.connection)
    }
    package func resumeTask(_ call: MethodCall<Wire.ResumeTask>) {
        handle(.resumeTask(call.parameters, call.reply), from: call.connection)
    }
    package func cancelTask(_ call: MethodCall<Wire.CancelTask>) {
        handle(.cancelTask(call.parameters, call.reply), from: call.connection)
    }
    package func setTaskRates(_ call: MethodCall<Wire.SetTaskRates>) {
        handle(.setTaskRates(call.parameters, call.reply), from: call.connection)
    }
    package func setTaskPriority(_ call: MethodCall<Wire.SetTaskPriority>) {
        handle(.setTaskPriority(call.parameters, call.reply), from: call.connection)
    }
    package func relinkTask(_ call: MethodCall<Wire.RelinkTask>) {
        handle(.relinkTask(call.parameters, call.reply), from: call.connection)
    }
    package func setRates(_ call: MethodCall<Wire.SetRates>) {
        handle(.setRates(call.parameters, call.reply), from: call.connection)
    }
    package func getTimetable(_ call: MethodCall<Wire.GetTimetable>) {
        handle(.getTimetable(call.parameters, call.reply), from: call.connection)
    }
    package func changeTimetable(_ call: MethodCall<Wire.ChangeTimetable>) {
        handle(.changeTimetable(call.parameters, call.reply), from: call.connection)
    }
    package func listHooks(_ call: MethodCall<Wire.ListHooks>) {
        handle(.listHooks(call.parameters, call.reply), from: call.connection)
    }
    package func removeHook(_ call: MethodCall<Wire.RemoveHook>) {
        handle(.removeHook(call.parameters, call.reply), from: call.connection)
    }
    package func quitApplication(_ call: MethodCall<Wire.QuitApplication>) {
        handle(.quitApplication(call.parameters, call.reply), from: call.connection)
    }
    package func getStatus(_ call: MethodCall<Wire.GetStatus>) {
        handle(.getStatus(call.parameters, call.reply), from: call.connection)
    }
    package func getSettings(_ call: MethodCall<Wire.GetSettings>) {
        handle(.getSettings(call.parameters, call.reply), from: call.connection)
    }
    package func reload(_ call: MethodCall<Wire.Reload>) {
        handle(.reload(call.parameters, call.reply), from: call.connection)
    }
    package func stop(_ call: MethodCall<Wire.Stop>) {
        handle(.stop(call.parameters, call.reply), from: call.connection)
    }
}
