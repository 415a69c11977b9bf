import FerryWire

extension TransferDaemon {
    /// The settings of the daemon that hold, and the files that they are from.
    ///
    /// The user's file `~/.config/ferry/ferry.conf` beats the system's, `/etc/xdg/ferry/ferry.conf` and
    /// `/etc/ferry/ferry.conf`, each setting by itself.
    /// The daemon's command line and ``TransferDaemon/setRates(_:)`` beat both. Apple's systems have nothing like it.
    public struct Settings: Hashable, Sendable {
        /// All settings, in the order of the manual.
        public var all: [Setting]
        /// What cannot be used of the files, whose other lines hold; empty if all is well.
        public var faults: [Fault]
        /// The files, the most important first.
        public var files: [File]

        /// The name of the setting with the command that runs after each transfer of `ferry`.
        package static let execAfter = DaemonSetting.execAfter.name

        /// Settings with the given properties.
        package init(all: [Setting], faults: [Fault] = [], files: [File] = []) {
            self.all = all
            self.faults = faults
            self.files = files
        }

        /// A setting.
        public struct Setting: Hashable, Sendable {
            /// The setting's name, such as `maximum-transfers`.
            public var name: String
            /// The value as a file has it, without the password of a proxy; nil if there is none.
            public var value: String?
            /// Where the value is from.
            public var origin: Origin

            /// A setting with the given properties.
            package init(name: String, value: String?, origin: Origin) {
                self.name = name
                self.value = value
                self.origin = origin
            }
        }

        /// Where the value of a setting is from.
        public enum Origin: Hashable, Sendable {
            /// It is the default.
            case standard
            /// A line of a file, from 1.
            case file(path: String, line: Int)
            /// The daemon's command line.
            case arguments
            /// ``TransferDaemon/setRates(_:)``, or `ferry limit`.
            case limit
            /// Something else, of a newer daemon.
            case other
        }

        /// A line of a file that cannot be used, or the reason why the whole file cannot be.
        public struct Fault: Hashable, Sendable {
            /// The file's path.
            public var file: String
            /// The line's number, from 1; nil for the whole file.
            public var line: Int?
            /// The name of the setting, or the beginning of the line; nil for the whole file.
            public var text: String?
            /// What is wrong, and what is allowed.
            public var reason: String

            /// A fault with the given properties.
            package init(file: String, line: Int?, text: String?, reason: String) {
                self.file = file
                self.line = line
                self.text = text
                self.reason = reason
            }
        }

        /// A file with settings.
        public struct File: Hashable, Sendable {
            /// The file's path.
            public var path: String
            /// Whether there is one.
            public var exists: Bool

            /// A file with the given properties.
            package init(path: String, exists: Bool) {
                self.path = path
                self.exists = exists
            }
        }
    }

    /// Returns the settings that hold.
    ///
    /// - Returns: All settings, with the origin of each.
    /// - Throws: ``TransferDaemonError`` when the daemon cannot be reached or refuses.
    public func settings() async throws(TransferDaemonError) -> Settings {
        try await backend.settings()
    }

    /// Has the daemon read its files again; never starts it.
    ///
    /// When this returns, what they say holds, also for running transfers where that is possible.
    ///
    /// - Returns: The settings that hold then; nil when the daemon is not running.
    /// - Throws: ``TransferDaemonError`` when it is running and cannot be reached or refuses.
    @discardableResult
    public func reload() async throws(TransferDaemonError) -> Settings? {
        try await backend.reload()
    }
}

extension TransferDaemon.Settings {
    init(_ settings: Wire.Settings) {
        self.init(
            all: settings.settings.map {
                Setting(name: $0.name, value: $0.value, origin: Origin($0))
            },
            faults: settings.faults.map { Fault($0) },
            files: settings.files.map { File(path: $0.path, exists: $0.exists) }
        )
    }
}

extension TransferDaemon.Settings.Fault {
    init(_ fault: Wire.SettingFault) {
        self.init(file: fault.file, line: fault.line, text: fault.text, reason: fault.reason)
    }
}

extension TransferDaemon.Settings.Origin {
    fileprivate init(_ setting: Wire.Setting) {
        self =
            switch setting.origin {
            case .standard: .standard
            case .file: .file(path: setting.file ?? "", line: setting.line ?? 0)
            case .arguments: .arguments
            case .limit: .limit
            case .other: .other
            }
    }
}
