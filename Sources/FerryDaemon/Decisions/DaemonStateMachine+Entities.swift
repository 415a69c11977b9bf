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
