import Foundation
@preconcurrency import Glibc

/// Where a command writes: results to standard output, everything meant for the eye beside it to
/// standard error.
package struct Console: Sendable {
    /// Writes text to standard output.
    package var output: @Sendable (String) -> Void
    /// Writes text to standard error.
    package var error: @Sendable (String) -> Void
    /// The size of the terminal at standard output; nil when it is none.
    package var outputSize: @Sendable () -> TerminalSize?
    /// The size of the terminal at standard error; nil when it is none.
    package var errorSize: @Sendable () -> TerminalSize?
    /// Whether the terminal speaks UTF-8.
    package var isUnicode: Bool

    /// A console made of closures, for tests.
    package init(
        output: @escaping @Sendable (String) -> Void,
        error: @escaping @Sendable (String) -> Void,
        outputSize: @escaping @Sendable () -> TerminalSize? = { nil },
        errorSize: @escaping @Sendable () -> TerminalSize? = { nil },
        isUnicode: Bool = false
    ) {
        self.output = output
        self.error = error
        self.outputSize = outputSize
        self.errorSize = errorSize
        self.isUnicode = isUnicode
    }

    /// The process's own standard output and standard error.
    package static var live: Console {
        let environment = ProcessInfo.processInfo.environment
        let locale =
            ["LC_ALL", "LC_CTYPE", "LANG"].lazy
            .compactMap { environment[$0] }
            .first { !$0.isEmpty } ?? ""
        let isDumb = environment["TERM"] == "dumb"
        return Console(
            output: { write($0, to: STDOUT_FILENO) },
            error: { write($0, to: STDERR_FILENO) },
            outputSize: { TerminalSize(descriptor: STDOUT_FILENO) },
            errorSize: { isDumb ? nil : TerminalSize(descriptor: STDERR_FILENO) },
            isUnicode: locale.lowercased().contains("utf-8") || locale.lowercased().contains("utf8")
        )
    }

    /// The characters that lines are drawn with.
    var alphabet: ProgressLine.Alphabet { isUnicode ? .unicode : .ascii }

    /// Writes a line to standard output, or several.
    ///
    /// Nothing in it steers a terminal, wherever the words come from.
    func line(_ text: String) { output(text.printableLines + "\n") }

    /// Writes a line to standard error, or several; nothing in it steers a terminal.
    func errorLine(_ text: String) { error(text.printableLines + "\n") }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // Nobody reads any more; what the command does matters more than what it says.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
