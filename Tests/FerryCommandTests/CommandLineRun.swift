import Ferry
import Foundation
import Synchronization

@testable import FerryCommand

/// What a command line came to.
struct CommandLineRun {
    /// What the shell was told.
    let code: ExitCode
    /// What was written to standard output.
    let output: String
    /// What was written to standard error.
    let error: String

    /// Runs a command line in this process.
    ///
    /// - Parameters:
    ///   - line: The words after `ferry`, parted by spaces.
    ///   - further: Further words, as the kernel has them.
    ///   - daemon: The daemon it talks to.
    ///   - sessions: The background sessions it opens.
    ///   - outputSize: The size of the terminal at standard output.
    ///   - errorSize: The size of the terminal at standard error.
    ///   - environment: The environment variables.
    ///   - isColored: Whether a terminal at standard output may have colors.
    ///   - interrupts: How often Ctrl-C is pressed at once.
    ///   - input: What is at standard input.
    init(
        _ line: String,
        words further: [[UInt8]] = [],
        daemon: PlayedDaemon = PlayedDaemon(),
        sessions: PlayedSessions? = nil,
        outputSize: TerminalSize? = nil,
        errorSize: TerminalSize? = nil,
        environment: [String: String] = [:],
        isColored: Bool = false,
        interrupts: Int = 0,
        input: String = ""
    ) async {
        let recording = Recording()
        var context = Context(
            console: recording.console(outputSize: outputSize, errorSize: errorSize),
            daemon: daemon.daemon,
            now: { Date(timeIntervalSince1970: 1_790_000_060) },
            instant: { .zero },
            interrupts: {
                AsyncStream { continuation in
                    for _ in 0..<interrupts { continuation.yield() }
                }
            },
            environment: outputSize == nil || isColored
                ? environment : environment.merging(["NO_COLOR": "1"]) { own, _ in own }
        )
        context.readInput = { _ in Array(input.utf8) }
        context.runningDaemon = daemon.daemon
        context.openSession =
            (sessions ?? PlayedSessions([], in: daemon)).opener
        let words = line.split(separator: " ").map { Array($0.utf8) } + further
        code = await Program.run(words, in: context)
        output = recording.output
        error = recording.error
    }
}

/// A console that remembers what was written to it.
final class Recording: Sendable {
    private struct Written {
        var output = ""
        var error = ""
    }

    private let written = Mutex(Written())

    /// What was written to standard output.
    var output: String { written.withLock { $0.output } }

    /// What was written to standard error.
    var error: String { written.withLock { $0.error } }

    /// The console, at terminals of the given sizes or at none.
    func console(outputSize: TerminalSize? = nil, errorSize: TerminalSize? = nil) -> Console {
        Console(
            output: { text in self.written.withLock { $0.output += text } },
            error: { text in self.written.withLock { $0.error += text } },
            outputSize: { outputSize },
            errorSize: { errorSize }
        )
    }
}
