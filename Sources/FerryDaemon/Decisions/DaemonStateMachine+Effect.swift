import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// An action that the owner must perform, in the given order.
    ///
    /// Large ones are indirect, so that a list of effects is short.
    enum Effect: Hashable, Sendable {
        /// Change the store and report with `committed` or `commitFailed`.
        indirect case commit([Mutation], Durability, Continuation)
        /// Ask the store and report with `answered`.
        indirect case query(Query)
        /// Answer a call.
        case answer(CallID, Answer)
        /// Answer a call with an error.
        case refuse(CallID, TransferInterfaceError)
        /// Send an event over a subscription.
        indirect case send(CallID, Wire.Event)
        /// Send the event that reports the end of a task to a subscription.
        indirect case sendEnd(CallID, EventRecord)
        /// End a subscription.
        case endSubscription(CallID)
        /// Start a transfer.
        indirect case start(TransferStart)
        /// Limit the bytes per second that a transfer receives and sends.
        case limitRate(task: TaskID, SharedRates)
        /// Limit the bytes per second that a session's transfers, or all transfers, receive and send together.
        case limitRates(SharedRates, session: SessionID?)
        /// Change a transfer's share of such limits.
        case prioritize(task: TaskID, Double)
        /// Revoke a connection that was lent to a transfer, to any host or to one.
        case revokeConnection(task: TaskID, host: String?)
        /// Stop a transfer; its file stays.
        case stop(task: TaskID)
        /// Stop a transfer, force its file onto the disk, and report with `flush`.
        case flush(task: TaskID)
        /// Use no connection any more that is kept from before.
        case renewConnections
        /// Hold this against the machine's sleep, and nothing else.
        case inhibit(MachineSleep.Inhibition)
        /// Let the machine sleep or shut down as announced, whatever is held; waking up is still reported.
        case allowSleep
        /// Answer the challenge of a transfer, so that it continues.
        indirect case answerChallenge(task: TaskID, LoadChallengeAnswer)
        /// Copy a task's complete file for another task, and report with `copied`.
        indirect case copyFile(FileCopy)
        /// Abandon the copy that is being made for a task; its result is still reported.
        case abandonCopy(task: TaskID)
        /// Remove the record of its origin from a complete file.
        case seal(task: TaskID)
        /// Take over the file of a task's resume data, if that was not done before, and report with
        /// `adopted`.
        indirect case adopt(resumeData: Data, TaskRecord)
        /// Secure the file that was passed with a call, so that it can be sent whatever happens to it, and report with
        /// `secured`.
        indirect case secure(task: TaskID, UploadState, for: CallID)
        /// Ask a server to delete its part of an abandoned upload.
        indirect case terminate(TaskRecord, UploadResource)
        /// Make resume data of what a task has loaded, keeping its file, and report with `madeResumeData`.
        indirect case makeResumeData(TaskRecord, Ending)
        /// Move the file of a task that has ended to the path in its resume data.
        case keepFile(task: TaskID, resumeData: Data)
        /// Release the connections of a session that a process has opened which has none of them.
        case forgetConnections(ofSession: SessionID)
        /// Release the connections and the limits of a session that is gone.
        case forgetSession(SessionID)
        /// Delete a task's file, and all that belongs to it.
        case discardFile(task: TaskID)
        /// Delete the file of a task that has ended, after it was offered to its application: nothing else is left.
        case removeFile(task: TaskID)
        /// Start an application and report with `launched`, later with `applicationExited`.
        indirect case launch(application: ApplicationID, Wire.Launch, session: String)
        /// Report the conditions of these that the machine is in with `conditionsChanged`, now and whenever they change;
        /// if empty, no longer.
        case observe(Conditions)
        /// Set a timer, or with `nil` clear it.
        case setTimer(Timer, Date?)
        /// Notify watchers that a task has changed.
        case changed(task: TaskID)
        /// Notify watchers that the reasons why tasks wait may have changed.
        case waitsChanged
        /// Notify watchers that a task is gone.
        case removed(task: TaskID)
        /// Write a line into the log.
        case log(LogLevel, String, task: TaskID?)
        /// End the process.
        case exit
    }

    /// The answer to a call.
    enum Answer: Hashable, Sendable {
        /// It is done.
        case done
        /// A session is open; other connections of its client show the token, if its process is unknown.
        case opened(session: SessionID, nextTaskIdentifier: Int, token: String? = nil)
        /// A task exists, or, with the number 0, has existed.
        case created(task: TaskID)
        /// A task was cancelled.
        case resumeData(Data?)
        /// An application was quit.
        case cancelled(count: Int)

        /// The task that a call has created; `nil` for another answer.
        var createdTask: TaskID? { if case .created(let task) = self { task } else { nil } }
    }

    /// A query to the store.
    enum Query: Hashable, Sendable {
        /// Tasks that may start now.
        case candidates(CandidateSearch)
        /// A session's events after a sequence number, for a subscription.
        case events(session: SessionID, after: Int64, limit: Int, CallID)
        /// A session's number of tasks and events.
        case session(SessionID)
        /// A task that a caller wants to end.
        case task(TaskKey, Ending)
        /// An upload whose creation call was repeated.
        case repeated(task: TaskID, CallID)
        /// A task whose file was secured.
        case secured(task: TaskID, UploadState, CallID)
        /// A task that a caller wants to change.
        case revise(TaskKey, Revision, CallID)
        /// The next unfinished tasks of a sweep.
        case sweep(CallID, Sweep.Scope, after: TaskID)
        /// Unfinished tasks whose deadline has passed.
        case overdue(at: Date)
        /// The earliest deadline of all.
        case earliestDeadline
        /// The next unfinished tasks that wait for a date.
        case dated(after: TaskID)
        /// The number of all tasks.
        case totals
    }

    /// What the store has found for a query, with what the machine needs to continue.
    enum Finding: Hashable, Sendable {
        /// Tasks that may start.
        case candidates(Candidates, for: CandidateSearch)
        /// Events for a subscription.
        case events([EventRecord], session: SessionID, CallID)
        /// A session's number of tasks and events; `nil` if the session is gone.
        case session(SessionRecord?)
        /// A task that a caller wants to end.
        case task(TaskRecord?, TaskKey, Ending)
        /// An upload whose creation call was repeated.
        case repeated(TaskRecord?, task: TaskID, CallID)
        /// A task whose file was secured.
        case secured(TaskRecord?, task: TaskID, UploadState, CallID)
        /// A task that a caller wants to change.
        case revise(TaskRecord?, TaskKey, Revision, CallID)
        /// The next unfinished tasks of a sweep; none when it is over.
        case sweep([TaskRecord], CallID)
        /// Unfinished tasks whose deadline has passed.
        case overdue([TaskRecord])
        /// The earliest deadline of all; `nil` if there is none.
        case earliestDeadline(Date?)
        /// The next unfinished tasks that wait for a date.
        case dated([TaskRecord])
        /// The number of all tasks.
        case totals(SessionCounts)
    }

    /// The continuation after a commit.
    enum Continuation: Hashable, Sendable {
        /// Nothing.
        case nothing
        /// The call about a task, or about none, that requested it gets "done"; the changed tasks are examined.
        case call(CallID, about: TaskKey?)
        /// A task's setting is stored, as a call requested.
        case taskSet(CallID, TaskKey, TaskSetting)
        /// A task runs under all conditions, as a person requested.
        case overridden(CallID, task: TaskID)
        /// A task has another address, as a call requested.
        case relinked(CallID, task: TaskID)
        /// A task waits for a network.
        case awaitingNetwork(task: TaskID)
        /// An upload can resume elsewhere, or has progressed.
        case moved(task: TaskID)
        /// Tasks up to this one, so many of them wrongly before, wait for the right moment after the clock was set.
        case retimed(through: TaskID, count: Int)
        /// The moments that were stored before this boot are corrected.
        case clockTakenUp
        /// The tasks that waited for a network no longer do.
        case networkWaitEnded
        /// What was loaded before the machine sleeps is stored.
        case readyForSleep
        /// A session was opened.
        case opened(CallID, ConnectionID, process: Int64)
        /// A task was created.
        case created(CallID)
        /// The store knows what a task sends.
        case secured(CallID, task: TaskID)
        /// A task's resume data was taken over, or could not be.
        case adopted(task: TaskID)
        /// A task has ended so.
        indirect case ended(task: TaskID, Ending, resumeData: Data?, NewEnd)
        /// A running task's attempt has failed, and it waits for the next.
        case backedOff(task: TaskID)
        /// Events were acknowledged.
        case acknowledged(CallID, session: SessionID)
        /// A task that had ended is gone.
        case forgotten(CallID, task: TaskID, session: SessionID)
        /// An application's next start is stored.
        case launching(application: ApplicationID, session: String)
        /// A session is gone.
        case closed(session: SessionID)
        /// An application is gone.
        case applicationForgotten(ApplicationID)
        /// The store knows that an application was quit.
        case quit(CallID, application: ApplicationID)
        /// The store knows the rate limits of all transfers together.
        case ratesSet(CallID, SharedRates)
        /// The store knows that an application is no longer started.
        case hookRemoved(CallID, application: ApplicationID)
    }

    /// The timers; there is at most one of each.
    enum Timer: Hashable, Sendable {
        /// A task's back-off ends.
        case retry
        /// A task's time is up.
        case deadline
        /// Progress is to be sent.
        case progress
        /// An application may be started again.
        case relaunch(application: ApplicationID)
        /// The start of an application takes too long.
        case launch(application: ApplicationID)
        /// A session's counts are to be read again.
        case recount(session: SessionID)
        /// The shares are to be reviewed.
        case shares
        /// The copies of a task's file take too long.
        case sharing(task: TaskID)
        /// The tasks that wait for a date are to be read again.
        case clock
        /// Something else holds by the user's timetable.
        case hours
        /// What is held against the machine's sleep is to be reviewed.
        case inhibition
        /// A machine that was about to sleep, or to shut down, has not done so.
        case sleep
        /// The daemon has had nothing to do for a while.
        case idle
    }

    /// Why a task ends, and which caller waits for that.
    struct Ending: Hashable, Sendable {
        /// The failure that its application receives; `nil` for success.
        var failure: Wire.Failure?
        /// Apple's number for why the system cancelled it.
        var cancelReason: Int?
        /// Whether its application may resume from the loaded bytes.
        var producesResumeData = false
        /// Whether a task that has already ended is deleted, if no client could take its file.
        var forgetsEnded = false
        /// Why its application may not resume, if it wanted to.
        var resumeDataRefusal: ResumeData.Unavailable?
        /// The upload that its server is to delete when the task has ended.
        var abandonedUpload: TaskRecord?
        /// The task's metrics, if they are known.
        var metrics: Wire.TaskMetrics?
        /// The caller that waits for the end.
        var caller: Caller = .nobody

        /// A caller that waits for a task to end.
        enum Caller: Hashable, Sendable {
            /// No caller.
            case nobody
            /// A call that gets "done".
            case call(CallID)
            /// A call that gets the resume data.
            case resumeDataCall(CallID)
            /// A sweep.
            case sweep(CallID)
        }

        /// A cancellation by the application or by a person.
        static func cancelled(for caller: Caller, producesResumeData: Bool = false) -> Ending {
            Ending(
                failure: Wire.Failure(TransferError(code: .cancelled, message: "cancelled")),
                producesResumeData: producesResumeData,
                caller: caller
            )
        }
    }

    /// Everything that a transfer needs to start.
    struct TransferStart: Hashable, Sendable {
        /// The task, as the store has it.
        var task: TaskRecord
        /// The header fields of the session.
        var additionalFields: [Wire.Field]
        /// The settings of the session's connections.
        var connections = Wire.Connections()
        /// The options that its application has set.
        var options: Wire.TransferOptions?
        /// Whether the application may want to decide about certificates.
        var asksForTrust = false
        /// Whether the application may know of another address.
        var asksForLink = false
    }
}
