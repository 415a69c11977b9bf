import FerryStore
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// An application and what is known about its process.
    struct Application: Hashable, Sendable {
        /// The record of an application's start.
        private struct Start: Hashable, Sendable {
            /// When it was planned.
            var time: Date
            /// The number of consecutive starts.
            var attempts: Int
            /// The earliest time of the next one.
            var next: Date?
        }

        /// The application's record in the store.
        private(set) var record: ApplicationRecord
        /// Whether a process that the daemon has started is still running.
        private(set) var isLaunched = false
        /// Whether the start of a process is under way.
        private(set) var isLaunching = false
        /// The connections over which it has opened sessions: it runs while there is one.
        private(set) var clients: Set<ConnectionID> = []
        /// The session for which it was started last; 0 if it was not.
        private(set) var latestSession: SessionID = 0
        /// The record of its latest start, until something other than this daemon starts it.
        private var latestStart: Start?
        /// Whether the process from that start has made tasks, which will cause the next start.
        private var hasMadeTasks = false
        /// The number of calls under way that forbid starting it.
        private(set) var objectionCount = 0

        init(_ record: ApplicationRecord) { self.record = record }

        /// What decides whether it may be started, but for when it was started before.
        struct LaunchState: Hashable, Sendable {
            /// How it is started, if it may be.
            var launch: Wire.Launch?
            /// Whether it was quit, or a call that is under way forbids starting it.
            var isForbidden: Bool
            /// Whether a process that the daemon has started is still running, or is being started.
            var isStarted: Bool
            /// Whether it has clients.
            var isConnected: Bool
        }

        /// Whether it may be started.
        var launchState: LaunchState {
            LaunchState(
                launch: record.launch,
                isForbidden: record.quit || objectionCount > 0,
                isStarted: isLaunched || isLaunching,
                isConnected: !clients.isEmpty
            )
        }

        // MARK: Its process

        /// It has opened a session over a connection.
        mutating func connected(_ connection: ConnectionID) { clients.insert(connection) }

        /// A connection is gone.
        mutating func disconnected(_ connection: ConnectionID) {
            clients.remove(connection)
        }

        /// Takes over what a client says about it.
        mutating func record(_ other: ApplicationRecord) {
            record.launch = other.launch
            record.quit = other.quit
        }

        // MARK: Starts

        /// Shortens the wait for the next start, if it is longer than any can be.
        ///
        /// - Parameter latest: The latest time of the next start.
        /// - Returns: Whether it was.
        mutating func limitWait(until latest: Date) -> Bool {
            guard let next = record.nextLaunchAt, next > latest else { return false }
            record.nextLaunchAt = latest
            return true
        }

        /// It is to be started, which is stored first.
        mutating func planLaunch(
            for session: SessionID,
            attempts: Int,
            at now: Date,
            notAgainBefore next: Date
        ) {
            latestSession = session
            record.launchAttempts = attempts
            record.nextLaunchAt = next
            isLaunching = true
            latestStart = Start(time: now, attempts: attempts, next: next)
            hasMadeTasks = false
        }

        /// When this daemon has started it last; `nil` if it has not, or if the process has made tasks: it may cause its
        /// next starts itself.
        var latestLaunch: Date? { hasMadeTasks ? nil : latestStart?.time }

        /// Its start is stored.
        mutating func launchStored() { isLaunching = false }

        /// It is being started.
        mutating func launch() { isLaunching = true }

        /// It was started, or could not be.
        mutating func launched(isRunning: Bool) {
            isLaunching = false
            isLaunched = isRunning
        }

        /// The process that the daemon had started has ended.
        mutating func exited() { isLaunched = false }

        /// It makes a task.
        ///
        /// - Returns: Whether its next start has to wait for that, as if the latest one had failed.
        mutating func madeTask() -> Bool {
            guard isLaunched, !hasMadeTasks, let start = latestStart else { return false }
            hasMadeTasks = true
            record.launchAttempts = start.attempts
            record.nextLaunchAt = start.next
            return true
        }

        /// It opens a session.
        ///
        /// - Returns: Whether earlier starts no longer count, as the daemon has not started it.
        mutating func forgetStart() -> Bool {
            guard !isLaunched, hasMadeTasks else { return false }
            hasMadeTasks = false
            latestStart = nil
            return true
        }

        /// It takes its events.
        ///
        /// - Returns: Whether its next start need not wait any longer.
        mutating func endWait() -> Bool {
            guard !hasMadeTasks, record.launchAttempts > 0 || record.nextLaunchAt != nil else {
                return false
            }
            record.launchAttempts = 0
            record.nextLaunchAt = nil
            return true
        }

        // MARK: Objections

        /// A call forbids starting it.
        mutating func beginObjection() { objectionCount += 1 }

        /// The store could not record that it must not be started.
        mutating func endObjection() { objectionCount -= 1 }

        /// It was quit.
        mutating func quit() {
            endObjection()
            record.quit = true
        }

        /// A person no longer wants it to be started.
        mutating func removeHook() {
            endObjection()
            record.launch = nil
        }
    }
}
