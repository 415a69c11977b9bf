package import Foundation

/// Where a user's files belong, by the XDG specifications.
package struct UserDirectories: Sendable {
    private let environment: [String: String]

    /// The directories of a user.
    ///
    /// - Parameter environment: The environment variables of a process of theirs.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.environment = environment
    }

    private var home: URL {
        URL(fileURLWithPath: environment["HOME"] ?? NSHomeDirectory(), isDirectory: true)
    }

    /// What apps have to remember.
    package var data: URL { base("XDG_DATA_HOME", or: ".local/share") }

    /// What apps remember that is of no value elsewhere, such as their histories.
    package var state: URL { base("XDG_STATE_HOME", or: ".local/state") }

    package var music: URL {
        userDirectory("XDG_MUSIC_DIR") ?? home.appending(component: "Music")
    }

    package var pictures: URL {
        userDirectory("XDG_PICTURES_DIR") ?? home.appending(component: "Pictures")
    }

    private func base(_ variable: String, or path: String) -> URL {
        // The specification: relative paths are invalid and to be ignored.
        guard let value = environment[variable], value.hasPrefix("/") else {
            return home.appending(path: path)
        }
        return URL(fileURLWithPath: value, isDirectory: true)
    }

    /// A line such as `XDG_MUSIC_DIR="$HOME/Musik"` of user-dirs.dirs(5).
    private func userDirectory(_ name: String) -> URL? {
        let file = base("XDG_CONFIG_HOME", or: ".config").appending(component: "user-dirs.dirs")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
        let prefix = "\(name)=\""
        for line in text.split(separator: "\n").reversed() where line.hasPrefix(prefix) {
            let value = String(line.dropFirst(prefix.count).prefix { $0 != "\"" })
            let path = value.hasPrefix("$HOME") ? home.path + value.dropFirst(5) : value
            guard path.hasPrefix("/") else { return nil }
            let directory = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
            // One that is the home itself stands for a directory that the user does not have.
            return directory.path == home.standardizedFileURL.path ? nil : directory
        }
        return nil
    }
}
