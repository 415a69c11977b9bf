import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// An application and what is known about its process.
    struct Application: Hashable, Sendable {
        /// The application's record in the store.
        var record: ApplicationRecord
        /// Whether a process that the daemon has started is still running.
        var isLaunched = false
        /// Whether the start of a process is under way.
        var isLaunching = false
        /// The connections over which it has opened sessions: it runs while there is one.
        var clients: Set<ConnectionIdentifier> = []
        /// The record of its latest start, until something other than this daemon starts it.
        var latestStart: Start?
        /// Whether the process from that start has made tasks, which will cause the next start.
        var hasMadeTasks = false
        /// The number of calls under way that forbid starting it.
        var objectionCount = 0

        init(_ record: ApplicationRecord) { self.record = record }
    }

    /// The record of an application's start.
    struct Start: Hashable, Sendable {
        /// The number of consecutive starts.
        var attempts: Int
        /// The earliest time of the next one.
        var next: Date?
    }

    /// A session and the client that has it open.
    struct Session: Hashable, Sendable {
        /// The store's number.
        let id: Int64
        /// The application's number.
        let applicationID: Int64
        /// The identifier that distinguishes it from the application's other sessions.
        let identifier: String
        /// The configuration of its tasks.
        var configuration: Wire.SessionConfiguration
        /// The size of the configuration in the store, in bytes.
        var configurationByteCount: Int
        /// The client that has it open.
        var attachment: Attachment?
        /// The token that the client's other connections show, if its process is unknown.
        var token: String?
        /// The connection of a client that is gone, while its calls are still to be carried out.
        var leaver: ConnectionIdentifier?
        /// The subscriber to its events.
        var subscriber: Subscriber?
        /// Whether it has events to deliver, and enough tasks have ended to start its application.
        private(set) var isReadyForRelaunch = false
        /// Whether the store could not read its counts.
        var isUncounted = false
        /// Whether it is deleted once its tasks and events are gone.
        var isClosing = false
        /// The answers of its application that also apply to other tasks.
        var keptAnswers = KeptAnswers()
        /// The process that gave these answers.
        var answeringProcess: Int64?
        /// The number of its tasks that wait for a decision of its application.
        var questionCount = 0

        /// The settings of its connections, if they differ from the default.
        var ownConnections: Wire.Connections? {
            configuration.connections.flatMap { $0.isPlain ? nil : $0 }
        }

        /// Whether its application is to be started for it (BG-30, BG-35, BG-36).
        var isToBeLaunched: Bool {
            (isReadyForRelaunch || questionCount > 0) && configuration.sendsLaunchEvents
        }

        /// Whether its application is started for it alone: for each task that ends, even while the application runs.
        var isLaunchedAlone: Bool { configuration.launchesForEachTask == true }

        init(_ record: SessionRecord) {
            id = record.id
            applicationID = record.applicationID
            identifier = record.identifier
            configuration = Stored.configuration(record.configuration)
            configurationByteCount = record.configuration.count
            note(record.counts)
        }

        /// Records the counts that were just read: an application is started when there are events and no unfinished
        /// tasks, not even suspended ones (BG-30), unless it wants to be started for each.
        mutating func note(_ counts: SessionCounts) {
            isReadyForRelaunch =
                counts.events > 0 && (counts.unfinishedTasks == 0 || isLaunchedAlone)
        }

        /// Whether it is open over a connection, or its events go there.
        func isServed(over connection: ConnectionIdentifier) -> Bool {
            attachment?.connection == connection || subscriber?.connection == connection
        }

        /// Forgets the counts, which are no longer known.
        mutating func forgetCounts() { isReadyForRelaunch = false }
    }

    /// A client that has a session open.
    struct Attachment: Hashable, Sendable {
        /// The connection; the session is released when it closes.
        var connection: ConnectionIdentifier
        /// The process; 0 if it is unknown.
        var process: Int64

        /// Returns whether both are of the same process.
        ///
        /// Only their connections distinguish two unknown processes.
        func isOfSameProcess(as other: Attachment) -> Bool {
            process == other.process && (process != 0 || connection == other.connection)
        }

        /// The process's number, for people; 0 if it is not visible.
        var processIdentifier: Int32 { Int32(exactly: max(process, 0)) ?? 0 }
    }

    /// A subscription to a session's events.
    struct Subscriber: Hashable, Sendable {
        /// The call that the events answer.
        var call: CallIdentifier
        /// Its connection.
        var connection: ConnectionIdentifier
        /// The last event that was sent.
        var lastSequence: Int64 = 0
        /// Whether all past events have been sent.
        var isLive = false
        /// Whether a page of events is being read.
        var isReading = false
        /// Whether there may be more than the page that is being read.
        var readsAgain = false
        /// Whether the client takes events.
        var isWritable = true
    }

    /// A task that has a transfer.
    struct RunningTask: Hashable, Sendable {
        /// The phase of a running task.
        enum Phase: Hashable, Sendable {
            /// Its application is being asked, and it has no transfer meanwhile.
            case asking
            /// Another task loads the same, and this one gets a copy of its file.
            case following
            /// It loads.
            case loading
            /// Its file is complete, and is being synchronized or stored.
            case finishing
            /// Its attempt has failed, which is being stored.
            case backingOff
            /// It ends for another reason.
            case ending
        }

        /// The limits that a running task counts against.
        enum Place: Hashable, Sendable {
            /// All limits of transfers.
            case transfer
            /// The limit for its session's transfers from its host.
            case parked
            /// None.
            case none
        }

        /// The task as it was when it started.
        let record: TaskRecord
        /// The phase.
        var phase = Phase.loading
        /// Its host, as its session saw it when it started.
        var line: HostBreaker.Line?
        /// The task whose bytes it gets.
        var leader: Int64?
        /// The limits that it counts against.
        var place = Place.transfer
        /// The connections that it was lent beyond its first one.
        var lentConnections = LentConnections()
        /// The question that its application must answer before it continues.
        var question: Question?
        /// The options that its application has set, if any.
        var options: Wire.TransferOptions?
        /// The number of bytes of the body that are held.
        var receivedByteCount: Int64
        /// The size of the body, in bytes.
        var expectedByteCount: Int64?
        /// The resource from which its upload resumes.
        var resource: UploadResource?
        /// The number of bytes of its file that it has sent; `nil` for a download.
        var sentByteCount: Int64?
        /// The latest response.
        var response: Wire.Response?
        /// The transactions of this attempt, if its application collects metrics.
        var transactions: [LoadTransaction] = []
        /// The request after redirects.
        var currentRequest: Wire.Request?
        /// The number of attempts that have failed since the byte count last exceeded its maximum.
        var attempts: Int
        /// The number of failed attempts that the store knows of.
        var storedAttempts: Int
        /// The maximum number of body bytes in this attempt and earlier ones: received here, or held by the server of
        /// an upload.
        var mostByteCount: Int64
        /// Why its attempt has failed, while that is being stored.
        var failure: AttemptFailure?
        /// When the next attempt may start, while that is being stored.
        var notBefore: Date?
        /// Whether its application has made it from resume data, and has not been notified how much of that could be
        /// used.
        var owesResumption: Bool
        /// Whether the store has a checkpoint of this run.
        var hasNewCheckpoint = false
        /// The event that notifies its application of that once it is connected.
        var resumption: Wire.Event?
        /// When its progress was last sent, or its attempt began: for a very short attempt, only the end is sent.
        var progressToldAt: Date
        /// Its pace since it got its place.
        var pace: Pace
        /// Whether its transfer has reported progress: the store may not know the latest.
        var hasReported = false
        /// Whether there is progress to send.
        var hasUntoldProgress = false
        /// Whether the latest response is to be sent, together with the progress.
        var hasUntoldResponse = false
        /// Whether the latest response is still to be stored, together with the next change.
        var hasUnstoredResponse = false

        /// Whether a server has answered this attempt or one before.
        var hasBeenAnswered: Bool {
            response != nil || record.response != nil || receivedByteCount > 0
        }

        /// The number of bytes that it has received and sent.
        var carriedByteCount: Int64 { receivedByteCount + (sentByteCount ?? 0) }

        /// Whether it loads, and does not wait for anything.
        var isActive: Bool { phase != .backingOff && question == nil }

        init(_ record: TaskRecord, at now: Date) {
            self.record = record
            progressToldAt = now
            // Each attempt at an upload gets its own response.
            let isUpload = record.upload != nil
            pace = Pace(byteCount: isUpload ? 0 : record.receivedByteCount, at: now)
            receivedByteCount = isUpload ? 0 : record.receivedByteCount
            expectedByteCount = isUpload ? nil : record.expectedByteCount
            sentByteCount = isUpload ? 0 : nil
            resource = isUpload ? record.uploadResource : nil
            attempts = record.attempts
            storedAttempts = record.attempts
            let earlier = AttemptFailure.decode(record.lastError)?.mostByteCount ?? 0
            let present = isUpload ? resource?.acknowledgedByteCount : record.receivedByteCount
            mostByteCount = max(present ?? 0, earlier)
            options = Stored.options(record.options)
            currentRequest = record.replacement
            owesResumption = ByteState.decode(record.checkpoint)?.isFromResumeData ?? false
        }
    }

    /// A question that an application must answer about a task.
    struct Question: Hashable, Sendable {
        /// The number that distinguishes it from later questions of the same task.
        let number: Int
        /// The subject.
        let subject: Subject
        /// The subscription over which it was sent.
        var subscription: CallIdentifier?
    }

    /// A subject that an application can be asked about.
    enum Subject: Hashable, Sendable {
        /// Whether it may begin.
        case begin
        /// A challenge of its server or proxy.
        case challenge(LoadChallenge)
        /// The new address of the resource, as the present one leads to this response.
        case link(Wire.Response?)
    }

    /// A call that opens a session.
    struct Opening: Hashable, Sendable {
        /// The application's name.
        var application: String
        /// The session's name.
        var session: String
        /// The number of bytes by which its application's sessions grow.
        var growth: Int
        /// The change to the store.
        var mutation: Mutation
    }

    /// A pass over all unfinished tasks of an application or a session.
    struct Sweep: Hashable, Sendable {
        /// The owner of the tasks.
        enum Scope: Hashable, Sendable {
            /// An application's.
            case application(Int64)
            /// A session's.
            case session(Int64)
        }

        /// The owner of the tasks.
        var scope: Scope
        /// How they end.
        var ending: Ending
        /// The last task that was seen.
        var lastTask: Int64 = 0
        /// The number of tasks of the current page that have not ended yet.
        var outstanding = 0
        /// The number of tasks that have ended.
        var count = 0
    }
}

extension SessionCounts {
    /// Whether there are no tasks; there are no events without tasks.
    var isEmpty: Bool { unfinishedTasks == 0 && completedTasks == 0 }
}
