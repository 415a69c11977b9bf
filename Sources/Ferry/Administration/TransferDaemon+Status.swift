public import Foundation

extension TransferDaemon {
    /// The daemon's status.
    public struct Status: Hashable, Sendable {
        /// The daemon's version.
        public var version: String
        /// The daemon's process identifier.
        public var processIdentifier: Int
        /// When it was started.
        public var started: Date
        /// The paths of the sockets that it listens on.
        public var sockets: [String]
        /// The path of the directory in which it keeps its queue and files.
        public var stateDirectory: String
        /// Where its log goes.
        public var log: Log
        /// How many transfers are running.
        public var runningCount: Int
        /// How many transfers wait.
        public var waitingCount: Int
        /// How many transfers are suspended.
        public var suspendedCount: Int
        /// How many background sessions are open in programs.
        public var sessionCount: Int
        /// The number of open connections from programs.
        public var connectionCount: Int
        /// The rate limits of all transfers together, as ``TransferDaemon/setRates(_:)`` has set them.
        public var rates: TransferDaemon.Rates
        /// The user's timetable, whose limits hold as well; nil from a daemon that has none.
        public var timetable: TransferDaemon.Timetable?
        /// The inhibitors that it holds with systemd-logind.
        public var inhibitors: [Inhibitor]
        /// The conditions that waiting transfers avoid: only these are watched.
        public var avoidedConditions: TransferOptions.Conditions
        /// Those of them that the machine is in; nil while that is not known.
        public var conditions: TransferOptions.Conditions?
        /// The services that are asked for them.
        public var services: [Service]
        /// What cannot be used of the files with the daemon's settings.
        public var settingFaults: [TransferDaemon.Settings.Fault]

        /// A status with the given properties.
        package init(
            version: String,
            processIdentifier: Int,
            started: Date,
            sockets: [String],
            stateDirectory: String,
            log: Log,
            runningCount: Int,
            waitingCount: Int,
            suspendedCount: Int,
            sessionCount: Int,
            connectionCount: Int,
            rates: TransferDaemon.Rates = TransferDaemon.Rates(),
            timetable: TransferDaemon.Timetable? = nil,
            inhibitors: [Inhibitor] = [],
            avoidedConditions: TransferOptions.Conditions = [],
            conditions: TransferOptions.Conditions? = nil,
            services: [Service] = [],
            settingFaults: [TransferDaemon.Settings.Fault] = []
        ) {
            self.version = version
            self.processIdentifier = processIdentifier
            self.started = started
            self.sockets = sockets
            self.stateDirectory = stateDirectory
            self.log = log
            self.runningCount = runningCount
            self.waitingCount = waitingCount
            self.suspendedCount = suspendedCount
            self.sessionCount = sessionCount
            self.connectionCount = connectionCount
            self.rates = rates
            self.timetable = timetable
            self.inhibitors = inhibitors
            self.avoidedConditions = avoidedConditions
            self.conditions = conditions
            self.services = services
            self.settingFaults = settingFaults
        }
    }
}

extension TransferDaemon.Status {
    /// An inhibitor that the daemon holds with systemd-logind, as `systemd-inhibit --list` shows it.
    ///
    /// Source: [Inhibitor Locks](https://systemd.io/INHIBITOR_LOCKS/).
    public struct Inhibitor: Hashable, Sendable {
        /// The effect, in the words of logind: `delay` or `block`.
        public var mode: String
        /// What is inhibited, in the words of logind, such as `shutdown:sleep`.
        public var what: String
        /// The reason, for people.
        public var reason: String

        /// An inhibitor with the given properties.
        package init(mode: String, what: String, reason: String) {
            self.mode = mode
            self.what = what
            self.reason = reason
        }
    }

    /// A service that reports conditions of the machine.
    public struct Service: Hashable, Sendable {
        /// What is known of a service.
        public enum State: String, Hashable, Sendable {
            /// It has been asked, and has not answered yet.
            case waiting
            /// It answers.
            case answers
            /// There is none; its conditions never hold.
            case absent
            /// It has not answered in time; its conditions do not hold until it does.
            case silent
            /// Something else, of a newer daemon.
            case other
        }

        /// The service's name on the bus, such as `org.freedesktop.NetworkManager`.
        public var name: String
        /// What is known of it.
        public var state: State

        /// A service in a state.
        package init(name: String, state: State) {
            self.name = name
            self.state = state
        }
    }
}

extension TransferDaemon.Status {
    /// Where the daemon's log goes.
    public enum Log: Hashable, Sendable {
        /// To the standard error of a daemon that runs in the foreground.
        case standardError
        /// To the system's journal.
        case journal
        /// To a file; its older parts are in the same directory.
        case file(path: String)
    }
}
