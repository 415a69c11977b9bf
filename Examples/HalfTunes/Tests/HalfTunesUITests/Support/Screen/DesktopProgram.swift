import Foundation
import HalfTunesTestSupport

/// A program that a desktop consists of, which ends with it.
final class DesktopProgram: Sendable {
    /// The first line that it has written.
    let greeting: String
    private let process: Process

    /// Starts it, and waits until it has something to say.
    init(
        _ name: String,
        _ arguments: [String],
        directory: URL,
        environment: [String: String] = [:]
    ) throws {
        let output = Pipe()
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(name)")
        process.arguments = arguments
        // The accessibility bus has its socket here; in the user's own directory, desktops share it.
        process.environment = environment.merging([
            "HOME": directory.path, "XDG_RUNTIME_DIR": directory.path, "PATH": "/usr/bin:/bin",
        ]) { $1 }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.start()
        let line = output.fileHandleForReading.availableData
        greeting = String(decoding: line, as: UTF8.self).trimmingCharacters(
            in: .whitespacesAndNewlines
        )
    }

    deinit {
        end()
    }

    func end() {
        process.terminate()
        process.waitUntilExit()
    }
}
