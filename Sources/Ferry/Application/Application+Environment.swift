import Foundation
@preconcurrency import Glibc

extension Application {
    /// What an application learns from the process it runs in.
    struct Environment: Sendable {
        var launchReason: LaunchReason
        var executablePath: String
        var relaunch: Relaunch?
        /// Returns when the daemon has acknowledged all that was asked for so far.
        var flush: @Sendable () async -> Void = {}
        /// Tells the daemon once more how the program is started.
        var register: @Sendable () -> Void = {}
    }

    /// The environment variable by which the daemon names the session a program is started for.
    static let backgroundSessionVariable = "FERRY_BACKGROUND_SESSION"
}

extension Application.Environment {
    /// The process itself, whose environment loses the variable that says why it was started.
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
        // /proc may not be mounted in a container; the name the program was called by is then the
        // best that is known.
        guard
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        else { return URL(fileURLWithPath: fallback).path }
        // What the kernel appends once the file was replaced, as an update does: proc(5).
        let deletedMark = " (deleted)"
        return path.hasSuffix(deletedMark) ? String(path.dropLast(deletedMark.count)) : path
    }

    private static var workingDirectory: String {
        // Empty when the directory was removed under the running process.
        let path = FileManager.default.currentDirectoryPath
        return path.hasPrefix("/") ? path : "/"
    }
}
