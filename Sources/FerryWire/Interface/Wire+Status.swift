package import FoundationEssentials

extension Wire {
    /// The daemon, as it stands.
    package struct Status: Codable, Hashable, Sendable {
        /// The daemon's version.
        package var version: String
        /// The daemon's process.
        package var pid: Int32
        /// When it started.
        package var started: Date
        /// The paths of the sockets it listens on.
        package var sockets: [String]
        /// The directory that holds the queue.
        package var stateDirectory: String
        /// Where it writes its log.
        package var log: Log
        /// How many tasks load.
        package var running: Int
        /// How many tasks wait to load.
        package var waiting: Int
        /// How many tasks are suspended.
        package var suspended: Int
        /// How many sessions are open.
        package var sessions: Int
        /// How many clients are connected.
        package var connections: Int
        /// How many bytes of all tasks together may arrive per second.
        package var receiveRate: Int64?
        /// How many bytes of all tasks together may leave per second.
        package var sendRate: Int64?

        /// Creates a status.
        package init(
            version: String,
            pid: Int32,
            started: Date,
            sockets: [String],
            stateDirectory: String,
            log: Log,
            running: Int,
            waiting: Int,
            suspended: Int,
            sessions: Int,
            connections: Int,
            receiveRate: Int64? = nil,
            sendRate: Int64? = nil
        ) {
            self.version = version
            self.pid = pid
            self.started = started
            self.sockets = sockets
            self.stateDirectory = stateDirectory
            self.log = log
            self.running = running
            self.waiting = waiting
            self.suspended = suspended
            self.sessions = sessions
            self.connections = connections
            self.receiveRate = receiveRate
            self.sendRate = sendRate
        }
    }
}
