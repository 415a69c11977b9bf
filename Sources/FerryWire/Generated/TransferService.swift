// Written by scripts/interface from io.ferry.Transfer.varlink: change that, and run `make interface`.

package import FerrySystem

/// A service that answers the calls of the interface, immediately or later.
///
/// A connection's calls arrive in order. They can be answered in any order: replies are sent in the order of
/// the calls.
@LoopActor
package protocol TransferService: AnyObject {
    /// Opens a session for its application, which receives its events until the connection closes.
    ///
    /// A connection may open any number of sessions. One process at a time may have a session open. The
    /// session's number is valid on every connection of that process until the connection that opened it
    /// closes or releases it, or CloseSession is called. For a process that the daemon cannot see (of
    /// another PID namespace, before Linux 6.9) it is valid on that connection alone, and for Subscribe
    /// with the token.
    func openSession(_ call: MethodCall<Wire.OpenSession>)
    /// Creates a download.
    ///
    /// Once the call is answered, the task is durable. Repeating the call with the same contents changes
    /// nothing, even when the task is gone.
    func createDownload(_ call: MethodCall<Wire.CreateDownload>)
    /// Creates an upload.
    ///
    /// Once the call is answered, the task is durable. The file is passed as a descriptor (SCM_RIGHTS) that
    /// is open for reading; it must be sent with bytes of this call alone. Repeating the call with the same
    /// contents changes nothing, even when the task is gone.
    func createUpload(_ call: MethodCall<Wire.CreateUpload>)
    /// Resumes a suspended task.
    func resume(_ call: MethodCall<Wire.Resume>)
    /// Stops a task until it is resumed; the bytes it has are kept.
    func suspend(_ call: MethodCall<Wire.Suspend>)
    /// Ends a task; its completed event follows.
    func cancel(_ call: MethodCall<Wire.Cancel>)
    /// Ends a task so that it can be continued.
    func cancelProducingResumeData(_ call: MethodCall<Wire.CancelProducingResumeData>)
    /// Changes the application's description of a task.
    func setDescription(_ call: MethodCall<Wire.SetDescription>)
    /// Changes the priority of a task.
    func setPriority(_ call: MethodCall<Wire.SetPriority>)
    /// Changes the date before which a task does not begin.
    ///
    /// It has no effect on a task that has begun.
    func setEarliestBegin(_ call: MethodCall<Wire.SetEarliestBegin>)
    /// Changes the options of a task.
    ///
    /// Rates apply at once, the rest from the next attempt on.
    func setOptions(_ call: MethodCall<Wire.SetOptions>)
    /// Changes the rate limits of a session's tasks together.
    func setSessionRates(_ call: MethodCall<Wire.SetSessionRates>)
    /// Lets a task begin after its application was asked about it.
    ///
    /// An answer to a question that is no longer open changes nothing.
    func begin(_ call: MethodCall<Wire.Begin>)
    /// Gives a task another address for the same resource; the bytes that it has loaded are kept if the
    /// resource proves to be the same.
    ///
    /// It is also the answer to the question of an expired event. An answer to a question that is no longer
    /// open changes nothing.
    func relink(_ call: MethodCall<Wire.Relink>)
    /// Answers a challenge.
    ///
    /// An answer to a question that is no longer open changes nothing.
    func answerChallenge(_ call: MethodCall<Wire.AnswerChallenge>)
    /// Acknowledges that events have been handled; they are not sent again and their files are deleted.
    func acknowledge(_ call: MethodCall<Wire.Acknowledge>)
    /// Ends a session permanently, once its tasks are done.
    func closeSession(_ call: MethodCall<Wire.CloseSession>)
    /// Sends a session's events: first those not acknowledged yet, then drained, then each as it happens.
    ///
    /// Must be called with more. The connection is busy with it until it closes, so use a separate one.
    func subscribe(_ call: MethodCall<Wire.Subscribe>)
    /// Opens a stream for the events of many sessions: ReceiveEvents says whose.
    ///
    /// Must be called with more. The connection is busy with it until it closes, so use a separate one.
    func streamEvents(_ call: MethodCall<Wire.StreamEvents>)
    /// Sends a session's events over a stream, in the same order as Subscribe does.
    ///
    /// Only the connection that has opened the session may call it.
    func receiveEvents(_ call: MethodCall<Wire.ReceiveEvents>)
    /// Holds back a session's events that go over a stream, or sends them again.
    ///
    /// Those under way still arrive.
    func holdEvents(_ call: MethodCall<Wire.HoldEvents>)
    /// Releases a session that the connection has opened, as the end of the connection does: another
    /// process may open it.
    func releaseSession(_ call: MethodCall<Wire.ReleaseSession>)
    /// Lists tasks in the order of their ids, a page at a time.
    ///
    /// A page may hold fewer tasks than asked for although there are more.
    func listTasks(_ call: MethodCall<Wire.ListTasks>)
    /// Returns a task in its current state.
    func getTask(_ call: MethodCall<Wire.GetTask>)
    /// Lists tasks that have ended and are no longer listed by ListTasks, the one that ended last first.
    ///
    /// The daemon remembers as many as its settings say, also when it is started again, and replies with at
    /// most 1000 of them.
    func listEndedTasks(_ call: MethodCall<Wire.ListEndedTasks>)
    /// Returns tasks in their current state and, when called with more, their changes.
    ///
    /// The first replies hold all tasks, the later ones those that changed, at most ten times a second.
    func watchTasks(_ call: MethodCall<Wire.WatchTasks>)
    /// Holds a task back, whatever its application wants, until ResumeTask.
    func pauseTask(_ call: MethodCall<Wire.PauseTask>)
    /// Resumes a paused task; one that waits after a failure tries again at once.
    func resumeTask(_ call: MethodCall<Wire.ResumeTask>)
    /// Ends a task; its application is notified.
    func cancelTask(_ call: MethodCall<Wire.CancelTask>)
    /// Changes the rate limits of a task, for a person.
    func setTaskRates(_ call: MethodCall<Wire.SetTaskRates>)
    /// Changes the priority of a task, for a person.
    func setTaskPriority(_ call: MethodCall<Wire.SetTaskPriority>)
    /// Gives a task another address for the same resource, for a person; the bytes that it has loaded are
    /// kept if the resource proves to be the same.
    func relinkTask(_ call: MethodCall<Wire.RelinkTask>)
    /// Changes the rate limits of all tasks together.
    ///
    /// They apply until they are changed again, also to a daemon that is started later.
    func setRates(_ call: MethodCall<Wire.SetRates>)
    /// Reports the user's timetable.
    func getTimetable(_ call: MethodCall<Wire.GetTimetable>)
    /// Adds a rule to the user's timetable, or removes one.
    ///
    /// When it is answered, the file is on the disk and the rules hold.
    func changeTimetable(_ call: MethodCall<Wire.ChangeTimetable>)
    /// Lists the applications that the daemon may start.
    func listHooks(_ call: MethodCall<Wire.ListHooks>)
    /// Forgets how to start an application, until it opens a session again.
    func removeHook(_ call: MethodCall<Wire.RemoveHook>)
    /// Cancels an application's tasks because its user quit it, and does not start it until its user does.
    func quitApplication(_ call: MethodCall<Wire.QuitApplication>)
    /// Returns the status of the daemon.
    func getStatus(_ call: MethodCall<Wire.GetStatus>)
    /// Reports the settings that hold, and where each is from.
    func getSettings(_ call: MethodCall<Wire.GetSettings>)
    /// Reads the files with the settings again.
    ///
    /// When it is answered, what they say holds, also for running tasks where that is possible.
    func reload(_ call: MethodCall<Wire.Reload>)
    /// Stops the daemon; its tasks continue when it is started again.
    func stop(_ call: MethodCall<Wire.Stop>)
}

extension TransferRoute {
    /// The methods of the interface.
    static let all: [TransferRoute] = [
        TransferRoute { $0.openSession($1) },
        TransferRoute { $0.createDownload($1) },
        TransferRoute { $0.createUpload($1) },
        TransferRoute { $0.resume($1) },
        TransferRoute { $0.suspend($1) },
        TransferRoute { $0.cancel($1) },
        TransferRoute { $0.cancelProducingResumeData($1) },
        TransferRoute { $0.setDescription($1) },
        TransferRoute { $0.setPriority($1) },
        TransferRoute { $0.setEarliestBegin($1) },
        TransferRoute { $0.setOptions($1) },
        TransferRoute { $0.setSessionRates($1) },
        TransferRoute { $0.begin($1) },
        TransferRoute { $0.relink($1) },
        TransferRoute { $0.answerChallenge($1) },
        TransferRoute { $0.acknowledge($1) },
        TransferRoute { $0.closeSession($1) },
        TransferRoute { $0.subscribe($1) },
        TransferRoute { $0.streamEvents($1) },
        TransferRoute { $0.receiveEvents($1) },
        TransferRoute { $0.holdEvents($1) },
        TransferRoute { $0.releaseSession($1) },
        TransferRoute { $0.listTasks($1) },
        TransferRoute { $0.getTask($1) },
        TransferRoute { $0.listEndedTasks($1) },
        TransferRoute { $0.watchTasks($1) },
        TransferRoute { $0.pauseTask($1) },
        TransferRoute { $0.resumeTask($1) },
        TransferRoute { $0.cancelTask($1) },
        TransferRoute { $0.setTaskRates($1) },
        TransferRoute { $0.setTaskPriority($1) },
        TransferRoute { $0.relinkTask($1) },
        TransferRoute { $0.setRates($1) },
        TransferRoute { $0.getTimetable($1) },
        TransferRoute { $0.changeTimetable($1) },
        TransferRoute { $0.listHooks($1) },
        TransferRoute { $0.removeHook($1) },
        TransferRoute { $0.quitApplication($1) },
        TransferRoute { $0.getStatus($1) },
        TransferRoute { $0.getSettings($1) },
        TransferRoute { $0.reload($1) },
        TransferRoute { $0.stop($1) },
    ]
}
