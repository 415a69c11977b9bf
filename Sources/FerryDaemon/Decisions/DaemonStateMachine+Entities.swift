import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// An application and what is known of its process.
    struct Application: Hashable, Sendable {
        /// What the store knows.
        var record: ApplicationRecord
        /// Whether a process that the daemon has started is still there.
        var isLaunched = false
        /// Whether the start of a process is under way.
        var isLaunching = false
        /// The connections over which it has opened sessions: it runs while there is one.
        var clients: Set<ConnectionIdentifier> = []
        /// What was noted of its latest start, until somebody else than this daemon starts it.
        var latestStart: Start?
        /// Whether the process that was started then has made tasks, which will be the reason for the next start.
        var hasMadeTasks = false
        /// How many calls are under way that forbid to start it.
        var objectionCount = 0

        init(_ record: ApplicationRecord) { self.record = record }
    }

    /// What is noted of an application's start.
    struct Start: Hashable, Sendable {
        /// How many starts in a row it was.
        var attempts: Int
        /// When the next one may be.
        var next: Date?
    }

    /// A session and the client that has it open.
    struct Session: Hashable, Sendable {
        /// The store's number.
        let id: Int64
        /// The application's number.
        let applicationID: Int64
        /// What tells it from the application's others.
        let identifier: String
        /// What holds for its tasks.
        var configuration: Wire.SessionConfiguration
        /// How many bytes that has in the store.
        var configurationByteCount: Int
        /// The client that has it open.
        var attachment: Attachment?
        /// What the client's other connections show, where nothing is known of its process.
        var token: String?
        /// The connection of the client that had it open and is gone, while calls of that are still to be carried out.
        var leaver: ConnectionIdentifier?
        /// Who is told its events.
        var subscriber: Subscriber?
        /// Whether it has events to tell, and all the ends that its application is started for.
        private(set) var isReadyForRelaunch = false
        /// Whether the store could not say what it has.
        var isUncounted = false
        /// Whether it goes once its tasks and events are gone.
        var isClosing = false
        /// What its application has answered that is good for other tasks.
        var keptAnswers = KeptAnswers()
        /// The process whose answers those are.
        var answeringProcess: Int64?
        /// How many of its tasks wait until its application has decided something.
        var questionCount = 0

        /// How its connections are made, where that is not as for all.
        var ownConnections: Wire.Connections? {
            configuration.connections.flatMap { $0.isPlain ? nil : $0 }
        }

        /// Whether its application is to be started for it (BG-30, BG-35, BG-36).
        var isToBeLaunched: Bool {
            (isReadyForRelaunch || questionCount > 0) && configuration.sendsLaunchEvents
        }

        /// Whether its application is started for it alone: for each end, also while it runs.
        var isLaunchedAlone: Bool { configuration.launchesForEachTask == true }

        init(_ record: SessionRecord) {
            id = record.id
            applicationID = record.applicationID
            identifier = record.identifier
            configuration = Stored.configuration(record.configuration)
            configurationByteCount = record.configuration.count
            note(record.counts)
        }

        /// Records what it has, as just read: an application is started when there is something
        /// to tell and no task left, not even one that waits to be resumed (BG-30), unless it wants to
        /// be started for each.
        mutating func note(_ counts: SessionCounts) {
            isReadyForRelaunch =
                counts.events > 0 && (counts.unfinishedTasks == 0 || isLaunchedAlone)
        }

        /// Whether it is open over a connection, or its events go there.
        func isServed(over connection: ConnectionIdentifier) -> Bool {
            attachment?.connection == connection || subscriber?.connection == connection
        }

        /// What it has is not known any more.
        mutating func forgetCounts() { isReadyForRelaunch = false }
    }

    /// A client that has a session open.
    struct Attachment: Hashable, Sendable {
        /// The connection; the session is let go when it closes.
        var connection: ConnectionIdentifier
        /// The process; 0 for one that nothing is known of.
        var process: Int64

        /// Whether the same process has another session open.
        ///
        /// Of two processes that nothing is known of, the connections are all that tells them apart.
        func isOfSameProcess(as other: Attachment) -> Bool {
            process == other.process && (process != 0 || connection == other.connection)
        }

        /// The process's number, for people; 0 for one that cannot be seen.
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
        /// Whether the past has been told.
        var isLive = false
        /// Whether a page of events is being read.
        var isReading = false
        /// Whether there may be more than the page that is being read.
        var readsAgain = false
        /// Whether the client takes what is sent.
        var isWritable = true
    }

    /// A task that has a transfer.
    struct RunningTask: Hashable, Sendable {
        /// What a running task is doing.
        enum Phase: Hashable, Sendable {
            /// Its application is asked something, and it has no transfer meanwhile.
            case asking
            /// Another task has a transfer of the same, and it gets a copy of its file.
            case following
            /// It loads.
            case loading
            /// Its file is complete and on its way to the disk, or into the store.
            case finishing
            /// Its attempt has failed, which is on its way into the store.
            case backingOff
            /// It ends for another reason.
            case ending
        }

        /// What a running task counts against.
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
        /// What it is doing.
        var phase = Phase.loading
        /// Its host, as its session saw it when it started.
        var line: HostBreaker.Line?
        /// The task whose bytes it gets.
        var leader: Int64?
        /// What it counts against.
        var place = Place.transfer
        /// What it was lent beside its first connection.
        var lentConnections = LentConnections()
        /// What its application has to decide before it goes on.
        var question: Question?
        /// How it is carried out, where its application has said so.
        var options: Wire.TransferOptions?
        /// How many bytes of the body are held.
        var receivedByteCount: Int64
        /// How many bytes the body has.
        var expectedByteCount: Int64?
        /// Where what it sends goes on.
        var resource: UploadResource?
        /// How many bytes of its file it has sent; `nil` for a download.
        var sentByteCount: Int64?
        /// The latest answer.
        var response: Wire.Response?
        /// What the requests of this attempt have cost, where its application wants to know.
        var transactions: [LoadTransaction] = []
        /// The request after redirects.
        var currentRequest: Wire.Request?
        /// How many attempts have failed since there were last more bytes than ever.
        var attempts: Int
        /// How many the store knows of.
        var storedAttempts: Int
        /// How many bytes of the body there were at most, in this attempt and those before it: here, or at the
        /// server of an upload.
        var mostByteCount: Int64
        /// Why its attempt has failed, while that is on its way into the store.
        var failure: AttemptFailure?
        /// When the next attempt may start, while that is on its way into the store.
        var notBefore: Date?
        /// Whether its application has made it from resume data, and was not told how much of
        /// that could be used.
        var owesResumption: Bool
        /// Whether the store has a checkpoint of this run.
        var hasNewCheckpoint = false
        /// What its application is to be told of that when it is there.
        var resumption: Wire.Event?
        /// When its progress was last told, or its attempt began: of one that is done in a moment
        /// nothing but the end is told.
        var progressToldAt: Date
        /// How it gets on, since it has had its place.
        var pace: Pace
        /// Whether its transfer has said how far it is: the store may not know the latest.
        var hasReported = false
        /// Whether there is progress to tell.
        var hasUntoldProgress = false
        /// Whether the latest answer is to be told, together with the progress.
        var hasUntoldResponse = false
        /// Whether the store is still to get the latest answer, together with the next change.
        var hasUnstoredResponse = false

        /// Whether a server has answered this attempt or one before.
        var hasBeenAnswered: Bool {
            response != nil || record.response != nil || receivedByteCount > 0
        }

        /// How many bytes it has brought and taken away.
        var carriedByteCount: Int64 { receivedByteCount + (sentByteCount ?? 0) }

        /// Whether it loads, and does not wait for anything.
        var isActive: Bool { phase != .backingOff && question == nil }

        init(_ record: TaskRecord, at now: Date) {
            self.record = record
            progressToldAt = now
            // Each attempt at an upload gets an answer of its own.
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

    /// Something that an application has to decide about a task.
    struct Question: Hashable, Sendable {
        /// What tells it from later questions of the same task.
        let number: Int
        /// What is asked.
        let subject: Subject
        /// The subscription over which it was told.
        var subscription: CallIdentifier?
    }

    /// What an application can be asked about a task.
    enum Subject: Hashable, Sendable {
        /// Whether it may begin.
        case begin
        /// What its server or proxy wants to know.
        case challenge(LoadChallenge)
        /// Where the resource is, as the address that there is leads to this answer.
        case link(Wire.Response?)
    }

    /// A call that opens a session.
    struct Opening: Hashable, Sendable {
        /// The application's name.
        var application: String
        /// The session's name.
        var session: String
        /// By how many bytes its application's sessions grow with it.
        var growth: Int
        /// What the store is to do.
        var mutation: Mutation
    }

    /// A call that creates a task.
    struct Creation: Hashable, Sendable {
        /// The session.
        var session: Int64
        /// The task.
        var task: TaskRecord
    }

    /// A pass over all unfinished tasks of an application or a session.
    struct Sweep: Hashable, Sendable {
        /// Whose tasks.
        enum Scope: Hashable, Sendable {
            /// An application's.
            case application(Int64)
            /// A session's.
            case session(Int64)
        }

        /// Whose tasks.
        var scope: Scope
        /// How they end.
        var ending: Ending
        /// The last task that was seen.
        var lastTask: Int64 = 0
        /// How many tasks of the current page have not ended yet.
        var outstanding = 0
        /// How many tasks have ended.
        var count = 0
    }
}

extension SessionCounts {
    /// Whether there are no tasks; there are no events without tasks.
    var isEmpty: Bool { unfinishedTasks == 0 && completedTasks == 0 }
}
