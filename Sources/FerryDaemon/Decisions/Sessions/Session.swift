import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// A session and the client that has it open.
    struct Session: Hashable, Sendable {
        /// The store's number.
        let id: SessionID
        /// The application's number.
        let applicationID: ApplicationID
        /// The identifier that distinguishes it from the application's other sessions.
        let identifier: String
        /// The configuration of its tasks.
        private(set) var configuration: Wire.SessionConfiguration
        /// The size of the configuration in the store, in bytes.
        private(set) var configurationByteCount: Int
        /// The client that has it open.
        private(set) var attachment: Attachment?
        /// The token that the client's other connections show, if its process is unknown.
        private(set) var token: String?
        /// The connection of a client that is gone, while its calls are still to be carried out.
        private(set) var leaver: ConnectionID?
        /// The subscriber to its events.
        private(set) var subscriber: Subscriber?
        /// Whether it has events to deliver, and enough tasks have ended to start its application.
        private(set) var isReadyForRelaunch = false
        /// Whether the store could not read its counts.
        private(set) var isUncounted = false
        /// Whether it is deleted once its tasks and events are gone.
        private(set) var isClosing = false
        /// The answers of its application that also apply to other tasks.
        private(set) var keptAnswers = KeptAnswers()
        /// The process that gave these answers.
        private var answeringProcess: Int64?
        /// The number of its tasks that wait for a decision of its application.
        private(set) var questionCount = 0

        /// The settings of its connections, if they differ from the default.
        var ownConnections: Wire.Connections? {
            configuration.connections.flatMap { $0.isPlain ? nil : $0 }
        }

        /// Whether its application is to be started for it (BG-30, BG-35, BG-36).
        var isToBeLaunched: Bool { hasNews && configuration.sendsLaunchEvents }

        /// The number of starts of its application for it that have brought nothing; `nil` if this daemon has not
        /// started it since something was taken.
        private(set) var launchAttempts: Int?
        /// The earliest time of the next start after those.
        private(set) var nextLaunchAt: Date?

        /// What decides whether its application is started for it.
        struct LaunchNeed: Hashable, Sendable {
            /// Whether its application has something to do for it, and is to be started.
            var isToBeLaunched: Bool
            /// Whether a client has it open.
            var isOpen: Bool
        }

        /// Whether its application is started for it.
        ///
        /// While its application is connected, the application need not be started. When it has gone, the next event
        /// starts it.
        var launchNeed: LaunchNeed {
            LaunchNeed(isToBeLaunched: isToBeLaunched, isOpen: attachment != nil)
        }

        /// Whether its application has something to do for it.
        var hasNews: Bool { isReadyForRelaunch || questionCount > 0 }

        /// Whether its application is started for it alone: for each task that ends, even while the application runs.
        var isLaunchedAlone: Bool { configuration.launchesForEachTask == true }

        init(_ record: SessionRecord) {
            id = record.id
            applicationID = record.applicationID
            identifier = record.identifier
            configuration = record.configuration.value ?? .standard
            configurationByteCount = record.configuration.text.count
            self.record(record.counts)
        }

        // MARK: Clients

        /// It is opened, and is no longer to be deleted.
        mutating func reopen() { isClosing = false }

        /// The store has another configuration of it, even if the client that has brought it may not open it.
        mutating func configure(_ record: SessionRecord) {
            configuration = record.configuration.value ?? .standard
            configurationByteCount = record.configuration.text.count
        }

        /// Whether its answers are those of a client that opens it.
        ///
        /// Answers belong to the process that gave them: the next one may be another program, or may not decide. An
        /// unknown client counts as another one each time.
        func hasAnswers(of client: Attachment) -> Bool {
            !isClosing && client.process != 0 && answeringProcess == client.process
        }

        /// A client has it open.
        ///
        /// - Parameters:
        ///   - client: The client.
        ///   - token: The token for its other connections, if its process is unknown.
        ///   - keepsAnswers: Whether the answers of the latest client are its own.
        mutating func attach(_ client: Attachment, token: String?, keepsAnswers: Bool) {
            if !keepsAnswers { keptAnswers = KeptAnswers() }
            answeringProcess = client.process
            attachment = client
            self.token = token
            // Pending calls of the previous client are given up: its task numbers now belong to the new one.
            leaver = nil
            forgetCounts()
        }

        /// A connection is gone.
        ///
        /// - Parameter connection: The connection.
        /// - Returns: Whether its client had the session open.
        mutating func release(_ connection: ConnectionID) -> Bool {
            if subscriber?.connection == connection { subscriber = nil }
            guard attachment?.connection == connection else { return false }
            attachment = nil
            // The client has taken events since the store was last asked.
            forgetCounts()
            return true
        }

        /// Its client is gone, and has calls that are still to be carried out.
        mutating func awaitCalls(over connection: ConnectionID) { leaver = connection }

        /// All calls of a client that is gone are carried out.
        mutating func endCalls() { leaver = nil }

        /// Whether it is open over a connection, or its events go there.
        func isServed(over connection: ConnectionID) -> Bool {
            attachment?.connection == connection || subscriber?.connection == connection
        }

        /// It is deleted once its tasks and events are gone.
        mutating func beginClosing() { isClosing = true }

        /// It could not be closed, and is still open.
        mutating func endClosing() { isClosing = false }

        // MARK: Events

        /// A client subscribes to its events, in place of the subscriber before.
        mutating func subscribe(_ call: CallID, over connection: ConnectionID) {
            subscriber = Subscriber(call: call, connection: connection)
        }

        /// Nothing takes its events any longer.
        mutating func unsubscribe() { subscriber = nil }

        /// There are events that its subscriber has not received.
        ///
        /// - Returns: Whether to read them now.
        mutating func beginReading() -> Bool { subscriber?.beginReading() == true }

        /// An event has been stored.
        ///
        /// - Returns: Whether its subscriber has all events before and takes this one now.
        mutating func take(_ sequence: Int64) -> Bool { subscriber?.take(sequence) == true }

        /// The store has returned a page of events.
        ///
        /// - Parameters:
        ///   - events: The events.
        ///   - isLast: Whether there were no more.
        /// - Returns: Those that its subscriber has not received.
        mutating func endReading(_ events: [EventRecord], isLast: Bool) -> [EventRecord] {
            subscriber?.endReading(events, isLast: isLast) ?? []
        }

        /// Its subscriber has stopped taking events, or takes them again.
        mutating func record(isWritable: Bool) { subscriber?.isWritable = isWritable }

        // MARK: Answers

        /// Keeps an answer that also applies to other tasks.
        mutating func keep(_ answer: LoadChallengeAnswer, to challenge: LoadChallenge) {
            keptAnswers.keep(answer, to: challenge)
        }

        /// Forgets the client's identities, after a server has refused one.
        mutating func forgetIdentities() { keptAnswers.forgetIdentities() }

        // MARK: Counts

        /// Records the counts that were just read: an application is started when there are events and no unfinished
        /// tasks, not even suspended ones (BG-30), unless it wants to be started for each.
        private mutating func record(_ counts: SessionCounts) {
            isReadyForRelaunch =
                counts.completedTasks > 0 && (counts.unfinishedTasks == 0 || isLaunchedAlone)
        }

        /// The store has counted its tasks and events; those of a session that is open change too soon.
        mutating func counted(_ counts: SessionCounts) {
            isUncounted = false
            if attachment == nil { record(counts) }
        }

        /// The store could not count its tasks and events.
        mutating func notCounted() {
            isUncounted = true
            forgetCounts()
        }

        /// Forgets the counts, which are no longer known.
        mutating func forgetCounts() { isReadyForRelaunch = false }

        /// A task waits for a decision of its application.
        mutating func beginQuestion() { questionCount += 1 }

        /// A task no longer waits for a decision.
        mutating func endQuestion() { questionCount -= 1 }

        // MARK: Starts of its application

        /// Its application is to be started for it.
        mutating func planLaunch(attempts: Int, notAgainBefore next: Date) {
            launchAttempts = attempts
            nextLaunchAt = next
        }

        /// The next start of its application for it need not wait.
        mutating func endWait() { nextLaunchAt = nil }

        /// Its application takes its events, or answers its questions.
        mutating func endLaunch() {
            launchAttempts = nil
            nextLaunchAt = nil
        }

        // MARK: Settings

        /// Its tasks have other rate limits together.
        mutating func limit(_ rates: SharedRates) {
            configuration.receiveRate = rates.receive
            configuration.sendRate = rates.send
        }

        /// Whether its application may decide about a challenge.
        func answers(_ challenge: LoadChallenge) -> Bool {
            (challenge.isAboutPassword
                ? configuration.answersPasswords : configuration.answersCertificates) ?? false
        }

        /// Its application does not decide about challenges of a kind.
        mutating func answersNone(like challenge: LoadChallenge) {
            if challenge.isAboutPassword {
                configuration.answersPasswords = false
            } else {
                configuration.answersCertificates = false
            }
        }
    }

    /// A client that has a session open.
    struct Attachment: Hashable, Sendable {
        /// The connection; the session is released when it closes.
        var connection: ConnectionID
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
        let call: CallID
        /// Its connection.
        let connection: ConnectionID
        /// The last event that was sent.
        private(set) var lastSequence: Int64 = 0
        /// Whether all past events have been sent.
        private(set) var isLive = false
        /// Whether a page of events is being read.
        private(set) var isReading = false
        /// Whether there may be more than the page that is being read.
        private(set) var readsAgain = false
        /// Whether the client takes events.
        fileprivate(set) var isWritable = true

        fileprivate init(call: CallID, connection: ConnectionID) {
            self.call = call
            self.connection = connection
        }

        /// Whether it takes an event as it happens, without a look into the log.
        var takesEvents: Bool { isLive && isWritable }

        fileprivate mutating func beginReading() -> Bool {
            guard !isReading, isWritable else {
                readsAgain = true
                return false
            }
            isReading = true
            readsAgain = false
            return true
        }

        fileprivate mutating func take(_ sequence: Int64) -> Bool {
            guard takesEvents, !isReading, sequence == lastSequence &+ 1 else { return false }
            lastSequence = sequence
            return true
        }

        fileprivate mutating func endReading(
            _ events: [EventRecord],
            isLast: Bool
        ) -> [EventRecord] {
            isReading = false
            isLive = isLive || isLast
            return events.filter { event in
                guard event.sequence > lastSequence else { return false }
                lastSequence = event.sequence
                return true
            }
        }
    }
}

extension LoadChallenge {
    fileprivate var isAboutPassword: Bool {
        if case .password = kind { true } else { false }
    }
}

extension SessionCounts {
    /// Whether there are no tasks.
    var isEmpty: Bool { unfinishedTasks == 0 && completedTasks == 0 }
}

extension Wire.SessionConfiguration {
    /// Apple's defaults, for a session whose configuration cannot be read.
    static let standard = Wire.SessionConfiguration(
        additionalFields: [],
        resourceTimeout: 604_800,
        maximumConnectionsPerHost: 6,
        sendsLaunchEvents: true
    )
}
