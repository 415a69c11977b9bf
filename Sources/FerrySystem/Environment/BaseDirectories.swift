import Glibc

/// The directories for a user's files, according to the XDG Base Directory Specification.
///
/// A variable that is empty or not an absolute path is ignored, as the specification says.
package struct BaseDirectories: Hashable, Sendable {
    /// The user's home directory, from `HOME` or else from the user database.
    package let home: String
    /// State that persists, by default `~/.local/state`.
    package let stateHome: String
    /// Data that persists, by default `~/.local/share`.
    package let dataHome: String
    /// Files that can be recreated, by default `~/.cache`.
    package let cacheHome: String
    /// Settings, by default `~/.config`.
    package let configHome: String
    /// The system's settings, the most important first: those of `XDG_CONFIG_DIRS`, by default `/etc/xdg`, then `/etc`.
    package let configDirectories: [String]
    /// The session's directory for sockets; `nil` if there is none that is private to the user.
    package let runtimeDirectory: String?

    /// Reads an environment.
    ///
    /// - Parameter environment: By default the process's own.
    package init(environment: [String: String] = ProcessEnvironment.current) {
        func absolute(_ name: String) -> String? {
            environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let home = absolute("HOME") ?? Self.homeFromUserDatabase() ?? "/"
        self.home = home
        stateHome = absolute("XDG_STATE_HOME") ?? home + "/.local/state"
        dataHome = absolute("XDG_DATA_HOME") ?? home + "/.local/share"
        cacheHome = absolute("XDG_CACHE_HOME") ?? home + "/.cache"
        configHome = absolute("XDG_CONFIG_HOME") ?? home + "/.config"
        let directories = (environment["XDG_CONFIG_DIRS"] ?? "").split(separator: ":").map {
            String($0)
        }.filter { $0.hasPrefix("/") }
        configDirectories = (directories.isEmpty ? ["/etc/xdg"] : directories) + ["/etc"]
        runtimeDirectory = absolute("XDG_RUNTIME_DIR").flatMap {
            Self.isPrivateDirectory($0) ? $0 : nil
        }
    }

    /// Returns the paths of a file with settings, the most important first.
    ///
    /// - Parameter name: Its path below the directories for settings.
    /// - Returns: The user's path, then those of the system.
    package func configFiles(_ name: String) -> [String] {
        ([configHome] + configDirectories).map { "\($0)/\(name)" }
    }

    /// Returns whether `path` is a directory of this user, not a link, that no other user can enter or write.
    package static func isPrivateDirectory(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && isPrivate(status)
    }

    /// Returns whether this is the status of a directory of this user that no other user can enter or write.
    static func isPrivate(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
            && status.st_mode & 0o077 == 0
    }

    private static func homeFromUserDatabase() -> String? {
        var entry = passwd()
        var result: UnsafeMutablePointer<passwd>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
            guard
                let base = buffer.baseAddress,
                getpwuid_r(geteuid(), &entry, base, buffer.count, &result) == 0,
                result != nil, let directory = entry.pw_dir
            else { return nil }
            return String(cString: directory)
        }
    }
}
