import Synchronization

@testable import FerryCommand

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
