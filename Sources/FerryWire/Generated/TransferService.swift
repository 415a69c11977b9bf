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
    func openSession(
        _ call: Wire.OpenSession,
        _ reply: Reply<Wire.OpenSession>,
        from connection: VarlinkConnection
    )
    /// Creates a download.
    ///
    /// Once the call is answered, the task is durable. Repeating the call with the same contents changes
    /// nothing, even when the task is gone.
    func createDownload(
        _ call: Wire.CreateDownload,
        _ reply: Reply<Wire.CreateDownload>,
        from connection: VarlinkConnection
    )
    /// Creates an upload.
    ///
    /// Once the call is answered, the task is durable. The file is passed as a descriptor (SCM_RIGHTS) that
    /// is open for reading; it must be sent with bytes of this call alone. Repeating the call with the same
    /// contents changes nothing, even when the task is gone.
    func createUpload(
        _ call: Wire.CreateUpload,
        _ reply: Reply<Wire.CreateUpload>,
        from connection: VarlinkConnection
    )
    /// Resumes a suspended task.
    func resume(
        _ call: Wire.Resume,
        _ reply: Reply<Wire.Resume>,
        from connection: VarlinkConnection
    )
    /// Stops a task until it is resumed; the bytes it has are kept.
    func suspend(
        _ call: Wire.Suspend,
        _ reply: Reply<Wire.Suspend>,
        from connection: VarlinkConnection
    )
    /// Ends a task; its completed event follows.
    func cancel(
        _ call: Wire.Cancel,
        _ reply: Reply<Wire.Cancel>,
        from connection: VarlinkConnection
    )
    /// Ends a task so that it can be continued.
    func cancelProducingResumeData(
        _ call: Wire.CancelProducingResumeData,
        _ reply: Reply<Wire.CancelProducingResumeData>,
        from connection: VarlinkConnection
    )
    /// Changes the application's description of a task.
    func setDescription(
        _ call: Wire.SetDescription,
        _ reply: Reply<Wire.SetDescription>,
        from connection: VarlinkConnection
    )
    /// Changes the priority of a task.
    func setPriority(
        _ call: Wire.SetPriority,
        _ reply: Reply<Wire.SetPriority>,
        from connection: VarlinkConnection
    )
    /// Changes the date before which a task does not begin.
    ///
    /// It has no effect on a task that has begun.
    func setEarliestBegin(
        _ call: Wire.SetEarliestBegin,
        _ reply: Reply<Wire.SetEarliestBegin>,
        from connection: VarlinkConnection
    )
    /// Changes the options of a task.
    ///
    /// Rates apply at once, the rest from the next attempt on.
    func setOptions(
        _ call: Wire.SetOptions,
        _ reply: Reply<Wire.SetOptions>,
        from connection: VarlinkConnection
    )
    /// Changes the rate limits of a session's tasks together.
    func setSessionRates(
        _ call: Wire.SetSessionRates,
        _ reply: Reply<Wire.SetSessionRates>,
        from connection: VarlinkConnection
    )
    /// Lets a task begin after its application was asked about it.
    ///
    /// An answer to a question that is no longer open changes nothing.
    func begin(_ call: Wire.Begin, _ reply: Reply<Wire.Begin>, from connection: VarlinkConnection)
    /// Gives a task another address for the same resource; the bytes that it has loaded are kept if the
    /// resource proves to be the same.
    ///
    /// It is also the answer to the question of an expired event. An answer to a question that is no longer
    /// open changes nothing.
    func relink(
        _ call: Wire.Relink,
        _ reply: Reply<Wire.Relink>,
        from connection: VarlinkConnection
    )
    /// Answers a challenge.
    ///
    /// An answer to a question that is no longer open changes nothing.
    func answerChallenge(
        _ call: Wire.AnswerChallenge,
        _ reply: Reply<Wire.AnswerChallenge>,
        from connection: VarlinkConnection
    )
    /// Acknowledges that events have been handled; they are not sent again and their files are deleted.
    func acknowledge(
        _ call: Wire.Acknowledge,
        _ reply: Reply<Wire.Acknowledge>,
        from connection: VarlinkConnection
    )
    /// Ends a session permanently, once its tasks are done.
    func closeSession(
        _ call: Wire.CloseSession,
        _ reply: Reply<Wire.CloseSession>,
        from connection: VarlinkConnection
    )
    /// Sends a session's events: first those not acknowledged yet, then drained, then each as it happens.
    ///
    /// Must be called with more. The connection is busy with it until it closes, so use a separate one.
    func subscribe(
        _ call: Wire.Subscribe,
        _ reply: Reply<Wire.Subscribe>,
        from connection: VarlinkConnection
    )
    /// Opens a stream for the events of many sessions: ReceiveEvents says whose.
    ///
    /// Must be called with more. The connection is busy with it until it closes, so use a separate one.
    func streamEvents(
        _ call: Wire.StreamEvents,
        _ reply: Reply<Wire.StreamEvents>,
        from connection: VarlinkConnection
    )
    /// Sends a session's events over a stream, in the same order as Subscribe does.
    ///
    /// Only the connection that has opened the session may call it.
    func receiveEvents(
        _ call: Wire.ReceiveEvents,
        _ reply: Reply<Wire.ReceiveEvents>,
        from connection: VarlinkConnection
    )
    /// Holds back a session's events that go over a stream, or sends them again.
    ///
    /// Those under way still arrive.
    func holdEvents(
        _ call: Wire.HoldEvents,
        _ reply: Reply<Wire.HoldEvents>,
        from connection: VarlinkConnection
    )
    /// Releases a session that the connection has opened, as the end of the connection does: another
    /// process may open it.
    func releaseSession(
        _ call: Wire.ReleaseSession,
        _ reply: Reply<Wire.ReleaseSession>,
        from connection: VarlinkConnection
    )
    /// Lists tasks in the order of their ids, a page at a time.
    ///
    /// A page may hold fewer tasks than asked for although there are more.
    func listTasks(
        _ call: Wire.ListTasks,
        _ reply: Reply<Wire.ListTasks>,
        from connection: VarlinkConnection
    )
    /// Returns a task in its current state.
    func getTask(
        _ call: Wire.GetTask,
        _ reply: Reply<Wire.GetTask>,
        from connection: VarlinkConnection
    )
    /// Lists tasks that have ended and are no longer listed by ListTasks, the one that ended last first.
    ///
    /// The daemon remembers the last 1000, also when it is started again.
    func listEndedTasks(
        _ call: Wire.ListEndedTasks,
        _ reply: Reply<Wire.ListEndedTasks>,
        from connection: VarlinkConnection
    )
    /// Returns tasks in their current state and, when called with more, their changes.
    ///
    /// The first replies hold all tasks, the later ones those that changed, at most ten times a second.
    func watchTasks(
        _ call: Wire.WatchTasks,
        _ reply: Reply<Wire.WatchTasks>,
        from connection: VarlinkConnection
    )
    /// Holds a task back, whatever its application wants, until ResumeTask.
    func pauseTask(
        _ call: Wire.PauseTask,
        _ reply: Reply<Wire.PauseTask>,
        from connection: VarlinkConnection
    )
    /// Resumes a paused task; one that waits after a failure tries again at once.
    func resumeTask(
        _ call: Wire.ResumeTask,
        _ reply: Reply<Wire.ResumeTask>,
        from connection: VarlinkConnection
    )
    /// Ends a task; its application is notified.
    func cancelTask(
        _ call: Wire.CancelTask,
        _ reply: Reply<Wire.CancelTask>,
        from connection: VarlinkConnection
    )
    /// Changes the rate limits of a task, for a person.
    func setTaskRates(
        _ call: Wire.SetTaskRates,
        _ reply: Reply<Wire.SetTaskRates>,
        from connection: VarlinkConnection
    )
    /// Changes the priority of a task, for a person.
    func setTaskPriority(
        _ call: Wire.SetTaskPriority,
        _ reply: Reply<Wire.SetTaskPriority>,
        from connection: VarlinkConnection
    )
    /// Gives a task another address for the same resource, for a person; the bytes that it has loaded are
    /// kept if the resource proves to be the same.
    func relinkTask(
        _ call: Wire.RelinkTask,
        _ reply: Reply<Wire.RelinkTask>,
        from connection: VarlinkConnection
    )
    /// Changes the rate limits of all tasks together.
    ///
    /// They apply until they are changed again, also to a daemon that is started later.
    func setRates(
        _ call: Wire.SetRates,
        _ reply: Reply<Wire.SetRates>,
        from connection: VarlinkConnection
    )
    /// Reports the user's timetable.
    func getTimetable(
        _ call: Wire.GetTimetable,
        _ reply: Reply<Wire.GetTimetable>,
        from connection: VarlinkConnection
    )
    /// Adds a rule to the user's timetable, or removes one.
    ///
    /// When it is answered, the file is on the disk and the rules hold.
    func changeTimetable(
        _ call: Wire.ChangeTimetable,
        _ reply: Reply<Wire.ChangeTimetable>,
        from connection: VarlinkConnection
    )
    /// Lists the applications that the daemon may start.
    func listHooks(
        _ call: Wire.ListHooks,
        _ reply: Reply<Wire.ListHooks>,
        from connection: VarlinkConnection
    )
    /// Forgets how to start an application, until it opens a session again.
    func removeHook(
        _ call: Wire.RemoveHook,
        _ reply: Reply<Wire.RemoveHook>,
        from connection: VarlinkConnection
    )
    /// Cancels an application's tasks because its user quit it, and does not start it until its user does.
    func quitApplication(
        _ call: Wire.QuitApplication,
        _ reply: Reply<Wire.QuitApplication>,
        from connection: VarlinkConnection
    )
    /// Returns the status of the daemon.
    func getStatus(
        _ call: Wire.GetStatus,
        _ reply: Reply<Wire.GetStatus>,
        from connection: VarlinkConnection
    )
    /// Reports the settings that hold, and where each is from.
    func getSettings(
        _ call: Wire.GetSettings,
        _ reply: Reply<Wire.GetSettings>,
        from connection: VarlinkConnection
    )
    /// Reads the files with the settings again.
    ///
    /// When it is answered, what they say holds, also for running tasks where that is possible.
    func reload(
        _ call: Wire.Reload,
        _ reply: Reply<Wire.Reload>,
        from connection: VarlinkConnection
    )
    /// Stops the daemon; its tasks continue when it is started again.
    func stop(_ call: Wire.Stop, _ reply: Reply<Wire.Stop>, from connection: VarlinkConnection)
}

extension TransferRoute {
    /// The methods of the interface.
    static let all: [TransferRoute] = [
        TransferRoute { $0.openSession($1, $2, from: $3) },
        TransferRoute { $0.createDownload($1, $2, from: $3) },
        TransferRoute { $0.createUpload($1, $2, from: $3) },
        TransferRoute { $0.resume($1, $2, from: $3) },
        TransferRoute { $0.suspend($1, $2, from: $3) },
        TransferRoute { $0.cancel($1, $2, from: $3) },
        TransferRoute { $0.cancelProducingResumeData($1, $2, from: $3) },
        TransferRoute { $0.setDescription($1, $2, from: $3) },
        TransferRoute { $0.setPriority($1, $2, from: $3) },
        TransferRoute { $0.setEarliestBegin($1, $2, from: $3) },
        TransferRoute { $0.setOptions($1, $2, from: $3) },
        TransferRoute { $0.setSessionRates($1, $2, from: $3) },
        TransferRoute { $0.begin($1, $2, from: $3) },
        TransferRoute { $0.relink($1, $2, from: $3) },
        TransferRoute { $0.answerChallenge($1, $2, from: $3) },
        TransferRoute { $0.acknowledge($1, $2, from: $3) },
        TransferRoute { $0.closeSession($1, $2, from: $3) },
        TransferRoute { $0.subscribe($1, $2, from: $3) },
        TransferRoute { $0.streamEvents($1, $2, from: $3) },
        TransferRoute { $0.receiveEvents($1, $2, from: $3) },
        TransferRoute { $0.holdEvents($1, $2, from: $3) },
        TransferRoute { $0.releaseSession($1, $2, from: $3) },
        TransferRoute { $0.listTasks($1, $2, from: $3) },
        TransferRoute { $0.getTask($1, $2, from: $3) },
        TransferRoute { $0.listEndedTasks($1, $2, from: $3) },
        TransferRoute { $0.watchTasks($1, $2, from: $3) },
        TransferRoute { $0.pauseTask($1, $2, from: $3) },
        TransferRoute { $0.resumeTask($1, $2, from: $3) },
        TransferRoute { $0.cancelTask($1, $2, from: $3) },
        TransferRoute { $0.setTaskRates($1, $2, from: $3) },
        TransferRoute { $0.setTaskPriority($1, $2, from: $3) },
        TransferRoute { $0.relinkTask($1, $2, from: $3) },
        TransferRoute { $0.setRates($1, $2, from: $3) },
        TransferRoute { $0.getTimetable($1, $2, from: $3) },
        TransferRoute { $0.changeTimetable($1, $2, from: $3) },
        TransferRoute { $0.listHooks($1, $2, from: $3) },
        TransferRoute { $0.removeHook($1, $2, from: $3) },
        TransferRoute { $0.quitApplication($1, $2, from: $3) },
        TransferRoute { $0.getStatus($1, $2, from: $3) },
        TransferRoute { $0.getSettings($1, $2, from: $3) },
        TransferRoute { $0.reload($1, $2, from: $3) },
        TransferRoute { $0.stop($1, $2, from: $3) },
    ]
}
