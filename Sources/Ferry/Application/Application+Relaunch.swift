extension Application {
    /// How the transfer daemon starts a program again.
    public struct Relaunch: Hashable, Sendable {
        /// The absolute path of the executable.
        public var executable: String

        /// The arguments, without the executable's own name.
        public var arguments: [String]

        /// The absolute path of the directory in which the program is started.
        ///
        /// If it no longer exists then, the program is started in `/`.
        public var workingDirectory: String

        /// The names of the environment variables that the program gets, with the values they have when a
        /// background session is made.
        ///
        /// An allow-list, because the values are stored on disk, in a file that only the user can read. Variables that
        /// are not set are left out.
        public var environmentNames: Set<String>

        /// The environment variables that a program gets by default.
        ///
        /// They are the variables for proxies and trusted authorities (see
        /// ``URLSessionConfiguration/connectionEnvironment``), paths (`PATH`, `HOME`, `TMPDIR`, the XDG base
        /// directories), the user (`USER`, `LOGNAME`, `SHELL`), the language (`LANG`, `LANGUAGE`, `LC_ALL`,
        /// `LC_MESSAGES`, `LC_CTYPE`, `TZ`), the display (`DISPLAY`, `WAYLAND_DISPLAY`, `XAUTHORITY`,
        /// `DBUS_SESSION_BUS_ADDRESS`, `XDG_CURRENT_DESKTOP`), and the loader's `LD_LIBRARY_PATH`.
        public static let defaultEnvironmentNames: Set<String> = [
            "PATH", "HOME", "TMPDIR", "USER", "LOGNAME", "SHELL",
            "LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LC_CTYPE", "TZ",
            "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS",
            "XDG_CURRENT_DESKTOP", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME",
            "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS",
            "LD_LIBRARY_PATH",
            "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy",
            "NO_PROXY",
            "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR",
        ]

        /// A way to start a program.
        ///
        /// - Parameters:
        ///   - executable: The absolute path of the executable.
        ///   - arguments: The arguments, without the executable's own name.
        ///   - workingDirectory: The absolute path of the directory to start in.
        ///   - environmentNames: The environment variables to pass on.
        /// - Precondition: `executable` and `workingDirectory` are absolute paths.
        public init(
            executable: String,
            arguments: [String] = [],
            workingDirectory: String = "/",
            environmentNames: Set<String> = Relaunch.defaultEnvironmentNames
        ) {
            precondition(
                executable.hasPrefix("/"),
                "Relaunch needs the executable's absolute path."
            )
            precondition(
                workingDirectory.hasPrefix("/"),
                "Relaunch needs the working directory's absolute path."
            )
            self.executable = executable
            self.arguments = arguments
            self.workingDirectory = workingDirectory
            self.environmentNames = environmentNames
        }
    }
}

extension Application {
    /// Decides when the events that a process was started for are delivered, and keeps the tasks that wait for that.
    struct LaunchEvents {
        private enum Condition {
            /// The process was not started for events, or they have been handled.
            case handled
            /// The delegate has not been called yet.
            case pending(sessionIdentifier: String)
            /// The delegate has been called and has not called the completion handler yet.
            case delivered
        }

        private var condition: Condition
        private var waiting: [CheckedContinuation<Void, Never>] = []

        init(reason: LaunchReason) {
            condition =
                switch reason {
                case .user: .handled
                case .backgroundURLSession(let identifier): .pending(sessionIdentifier: identifier)
                }
        }

        /// The session whose events are to be delivered now; nil if there is nothing to deliver.
        mutating func deliver() -> String? {
            guard case .pending(let sessionIdentifier) = condition else { return nil }
            condition = .delivered
            return sessionIdentifier
        }

        /// Returns whether the events are already handled; if not, keeps the continuation.
        mutating func wait(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
            switch condition {
            case .handled:
                return true
            case .pending, .delivered:
                waiting.append(continuation)
                return false
            }
        }

        /// The continuations to resume now that the completion handler was called.
        mutating func wereHandled() -> [CheckedContinuation<Void, Never>] {
            condition = .handled
            defer { waiting = [] }
            return waiting
        }
    }
}
