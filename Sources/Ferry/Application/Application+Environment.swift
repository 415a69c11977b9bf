import Foundation
@preconcurrency import Glibc

extension Application {
    /// The values that an application takes from its process.
    struct Environment: Sendable {
        var launchReason: LaunchReason
        var executablePath: String
        var relaunch: Relaunch?
        /// Returns when the daemon has acknowledged all calls so far.
        var flush: @Sendable () async -> Void = {}
        /// Registers again with the daemon how the program is started.
        var register: @Sendable () -> Void = {}
    }

    /// The environment variable in which the daemon names the session that a program is started for.
    static let backgroundSessionVariable = "FERRY_BACKGROUND_SESSION"
}

extension Application.Environment {
    /// The environment of this process; removes the variable that says why the process was started.
    static var live: Self {
        let variables = ProcessInfo.processInfo.environment
        let sessionIdentifier = variables[Application.backgroundSessionVariable]
        if sessionIdentifier != nil {
            unsetenv(Application.backgroundSessionVariable)
        }
        let arguments = CommandLine.arguments
        let executable = Self.executablePath(fallback: arguments.first ?? "")
        return Self(
            launchReason: Self.launchReason(sessionIdentifier: sessionIdentifier),
            executablePath: executable,
            relaunch: Application.Relaunch(
                executable: executable,
                arguments: Array(arguments.dropFirst()),
                workingDirectory: Self.workingDirectory
            ),
            flush: { await BackgroundSessions.shared.flush() },
            register: { BackgroundSessions.shared.register() }
        )
    }

    static func launchReason(sessionIdentifier: String?) -> Application.LaunchReason {
        guard let sessionIdentifier, !sessionIdentifier.isEmpty else { return .user }
        return .backgroundURLSession(identifier: sessionIdentifier)
    }

    private static func executablePath(fallback: String) -> String {
        // /proc may not be mounted in a container; then the name that the program was called by is used.
        guard
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        else { return URL(fileURLWithPath: fallback).path }
        // The kernel appends this when the file has been replaced, as by an update: proc(5).
        let deletedMark = " (deleted)"
        return path.hasSuffix(deletedMark) ? String(path.dropLast(deletedMark.count)) : path
    }

    private static var workingDirectory: String {
        // Empty when the directory was removed under the running process.
        let path = FileManager.default.currentDirectoryPath
        return path.hasPrefix("/") ? path : "/"
    }
}
