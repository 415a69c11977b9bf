import Foundation
import Synchronization

/// The programs that the desktop consists of.
enum DesktopPrograms {
    private static let running = Mutex<[Process]>([])
    /// Ends them with the tests; nobody else would.
    private static let ending: Void = {
        atexit {
            // They have inherited blocked signals; this one cannot be blocked.
            let running = DesktopPrograms.running.withLock { $0 }
            for process in running { kill(process.processIdentifier, SIGKILL) }
        }
    }()

    /// Starts a program, and returns the first line it writes.
    static func start(
        _ name: String,
        _ arguments: String...,
        directory: URL
    ) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(name)")
        process.arguments = arguments
        // The accessibility bus has its socket here; in the user's own directory, desktops share it.
        process.environment = [
            "HOME": directory.path, "XDG_RUNTIME_DIR": directory.path, "PATH": "/usr/bin:/bin",
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        running.withLock { $0.append(process) }
        ending
        let line = output.fileHandleForReading.availableData
        return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
