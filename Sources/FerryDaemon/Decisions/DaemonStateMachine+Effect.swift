import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// A client's call, while it waits for its answer.
    typealias CallIdentifier = UInt64
    /// A client's connection.
    typealias ConnectionIdentifier = UInt64

    /// What the owner must do, in the order given.
    enum Effect: Hashable, Sendable {
        /// Change the store and report with `committed` or `commitFailed`.
        case commit([Mutation], Durability, Continuation)
        /// Ask the store and report with `answered`.
        case query(Query)
        /// Answer a call.
        case answer(CallIdentifier, Answer)
        /// Answer a call with an error.
        case refuse(CallIdentifier, TransferInterfaceError)
        /// Send an event over a subscription.
        case send(CallIdentifier, Wire.Event)
        /// End a subscription.
        case endSubscription(CallIdentifier)
        /// Start a transfer.
        case start(TransferStart)
        /// Have no more than so many bytes per second arrive at a transfer, and leave.
        case limitRate(task: Int64, SharedRates)
        /// Have no more than so many bytes per second arrive at a session's transfers, or all, and leave.
        case limitRates(SharedRates, session: Int64?)
        /// Change the share that a transfer has of such limits.
        case prioritize(task: Int64, Double)
        /// Have a transfer give back a connection that it was lent, to any host or to one.
        case recallConnection(task: Int64, host: String?)
        /// Stop a transfer; its file stays.
        case stop(task: Int64)
        /// Go on with a transfer whose server wanted to know something.
        case answerChallenge(task: Int64, LoadChallengeAnswer)
        /// Copy a task's file, which is complete, for another, and report with `copied`.
        case copyFile(FileCopy)
        /// Give up the copy that is being made for a task; what comes of it is reported all the same.
        case abandonCopy(task: Int64)
        /// Take the record of its origin off a complete file.
        case seal(task: Int64)
        /// Take over the file of a task's resume data, if that was not done before, and report with
        /// `adopted`.
        case adopt(resumeData: Data, TaskRecord)
        /// Make sure that the file that a call has brought can be sent whatever becomes of it, and report with
        /// `secured`.
        case secure(task: Int64, UploadState, for: CallIdentifier)
        /// Have a server forget what it has of an upload that was given up.
        case terminate(TaskRecord, UploadResource)
        /// Make resume data of what a task has loaded, whose file stays, and report with
        /// `madeResumeData`.
        case makeResumeData(TaskRecord, Ending)
        /// Put the file of a task that has ended where its resume data says.
        case keepFile(task: Int64, resumeData: Data)
        /// Let go of the connections of a session that is gone.
        case forgetSession(Int64)
        /// Delete a task's file, and all that belongs to it.
        case discardFile(task: Int64)
        /// Delete the file of a task that has ended, and that was offered to its application: nothing else is left.
        case removeFile(task: Int64)
        /// Start an application and report with `launched`, later with `applicationExited`.
        case launch(application: Int64, LaunchRecord, session: String)
        /// Set a timer, or with `nil` clear it.
        case setTimer(Timer, Date?)
        /// Tell those who watch that a task has changed.
        case changed(task: Int64)
        /// Tell those who watch that a task is gone.
        case removed(task: Int64)
        /// Write a line into the log.
        case log(LogLevel, String, task: Int64?)
        /// End the process.
        case exit
    }

    /// What a call is answered with.
    enum Answer: Hashable, Sendable {
        /// It is done.
        case done
        /// A session is open.
        case opened(session: Int64, nextTaskIdentifier: Int)
        /// A task exists, or, with the number 0, has existed.
        case created(task: Int64)
        /// A task was cancelled.
        case resumeData(Data?)
        /// An application was quit.
        case cancelled(count: Int)
    }

    /// What is asked of the store.
    enum Query: Hashable, Sendable {
        /// Tasks that may start now.
        case candidates(CandidateSearch)
        /// A session's events after a sequence number, for a subscription.
        case events(session: Int64, after: Int64, limit: Int, CallIdentifier)
        /// How many tasks and events a session has.
        case session(Int64)
        /// A task that a caller wants to end.
        case task(TaskKey, Ending)
        /// An upload whose creation was called for once more.
        case repeated(task: Int64, CallIdentifier)
        /// A task whose file was made sure of.
        case secured(task: Int64, UploadState, CallIdentifier)
        /// A task that a caller wants to be carried out in another way.
        case revise(TaskKey, Revision, CallIdentifier)
        /// The next unfinished tasks of a sweep.
        case sweep(CallIdentifier, Sweep.Scope, after: Int64)
        /// Unfinished tasks whose deadline has passed.
        case overdue(at: Date)
        /// The earliest deadline of all.
        case earliestDeadline
        /// The next unfinished tasks that wait for a date.
        case dated(after: Int64)
        /// How many tasks there are at all.
        case totals
    }

    /// What the store answers.
    enum QueryResult: Hashable, Sendable {
        /// To `candidates`.
        case candidates(Candidates)
        /// To `events`.
        case events([EventRecord])
        /// To `session`.
        case session(SessionRecord?)
        /// To `task`, `repeated`, `secured`, `revise`, `sweep`, `overdue` and `dated`.
        case tasks([TaskRecord])
        /// To `earliestDeadline`.
        case earliestDeadline(Date?)
        /// To `totals`.
        case totals(SessionCounts)
        /// The store could not answer.
        case failed(StoreError)
    }

    /// What becomes of a commit's receipt.
    enum Continuation: Hashable, Sendable {
        /// Nothing.
        case nothing
        /// A call about a task asked for it and gets "done"; the task is looked at.
        case call(CallIdentifier, task: Int64)
        /// It is noted how a task is to be carried out, for which a call has asked.
        case taskSet(CallIdentifier, TaskKey, TaskSetting)
        /// A task has another address, for which a call has asked.
        case relinked(CallIdentifier, task: Int64)
        /// A task waits for a network.
        case awaitingNetwork(task: Int64)
        /// An upload can go on elsewhere, or has come further.
        case moved(task: Int64)
        /// Tasks up to this one wait for the right moment of a clock that was set.
        case retimed(through: Int64)
        /// The moments that were stored before this boot are mended.
        case clockTakenUp
        /// The tasks that waited for a network may start.
        case networkIsBack
        /// A session was opened.
        case opened(CallIdentifier, ConnectionIdentifier, process: Int64)
        /// A task was created.
        case created(CallIdentifier)
        /// It is known what a task sends.
        case secured(CallIdentifier, task: Int64)
        /// A task's resume data was taken over, or could not be.
        case adopted(task: Int64)
        /// A task has ended.
        case ended(task: Int64, Ending, resumeData: Data?)
        /// A running task's attempt has failed, and it waits for the next.
        case backedOff(task: Int64)
        /// Events were acknowledged.
        case acknowledged(CallIdentifier, session: Int64)
        /// A task that had ended is gone.
        case forgotten(CallIdentifier, task: Int64, session: Int64)
        /// An application's next start is noted.
        case launching(application: Int64, session: String)
        /// A session is gone.
        case closed(session: Int64)
        /// An application is gone.
        case applicationForgotten(Int64)
        /// It is noted that an application was quit.
        case quit(CallIdentifier, application: Int64)
        /// It is noted how fast all transfers together may load and send.
        case ratesSet(CallIdentifier, SharedRates)
        /// It is noted that an application is started no more.
        case hookRemoved(CallIdentifier, application: Int64)
    }

    /// The timers; there is at most one of each.
    enum Timer: Hashable, Sendable {
        /// A task's back-off ends.
        case retry
        /// A task's time is up.
        case deadline
        /// Progress is still to be told.
        case progress
        /// An application may be started again.
        case relaunch(application: Int64)
        /// The start of an application takes too long.
        case launch(application: Int64)
        /// What a session has is to be asked once more.
        case recount(session: Int64)
        /// It is to be looked whether places are to go to others.
        case shares
        /// The copies of a task's file take too long.
        case sharing(task: Int64)
        /// The tasks that wait for a date are to be read once more.
        case clock
        /// The daemon has had nothing to do for a while.
        case idle
    }

    /// Why and for whom a task ends.
    struct Ending: Hashable, Sendable {
        /// What its application is told; `nil` when all went well.
        var failure: Wire.Failure?
        /// Apple's number for why the system cancelled it.
        var cancelReason: Int?
        /// Whether its application may go on from what was loaded.
        var producesResumeData = false
        /// Whether a task that has ended already is forgotten, where nobody is there who might take its file.
        var forgetsEnded = false
        /// Why its application may not, if it wanted to.
        var resumeDataRefusal: ResumeData.Unavailable?
        /// The upload that its server is to forget when it has ended.
        var abandonedUpload: TaskRecord?
        /// What it has cost, when that is known.
        var metrics: Wire.TaskMetrics?
        /// Who waits for it to end.
        var caller: Caller = .nobody

        /// Who waits for a task to end.
        enum Caller: Hashable, Sendable {
            /// Nobody.
            case nobody
            /// A call that gets "done".
            case call(CallIdentifier)
            /// A call that gets the resume data.
            case resumeDataCall(CallIdentifier)
            /// A sweep.
            case sweep(CallIdentifier)
        }

        /// A cancellation by the application or by a person.
        static func cancelled(for caller: Caller, producesResumeData: Bool = false) -> Ending {
            Ending(
                failure: Wire.Failure(
                    code: TransferError.Code.cancelled.rawValue,
                    message: "cancelled"
                ),
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
        /// How the session's connections are made.
        var connections = Wire.Connections()
        /// How its application wants it to be carried out.
        var options: Wire.TransferOptions?
        /// Whether the application may want to decide about certificates.
        var asksForTrust = false
        /// Whether the application may know of another address.
        var asksForLink = false
    }
}
