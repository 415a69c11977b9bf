import Foundation
@preconcurrency import Glibc
import Synchronization

/// The output of a command: results go to standard output, everything else for people to standard error.
package struct Console: Sendable {
    /// Writes text to standard output.
    package var output: @Sendable (String) -> Void
    /// Writes text to standard error.
    package var error: @Sendable (String) -> Void
    /// The size of the terminal at standard output; nil when it is not a terminal.
    package var outputSize: @Sendable () -> TerminalSize?
    /// The size of the terminal at standard error; nil when it is not a terminal.
    package var errorSize: @Sendable () -> TerminalSize?
    /// Whether the terminal uses UTF-8.
    package var isUnicode: Bool
    /// Whether something could not be written to standard output, which was told; nobody who reads it is no failure.
    var hasLostOutput: @Sendable () -> Bool = { false }

    /// Creates a console from closures, for tests.
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
    package static var live: Console { live(output: STDOUT_FILENO, error: STDERR_FILENO) }

    /// The console behind two descriptors.
    ///
    /// - Parameters:
    ///   - output: The descriptor of standard output.
    ///   - error: The descriptor of standard error.
    /// - Returns: The console.
    static func live(output: Int32, error: Int32) -> Console {
        let environment = ProcessInfo.processInfo.environment
        let locale =
            ["LC_ALL", "LC_CTYPE", "LANG"].lazy
            .compactMap { environment[$0] }
            .first { !$0.isEmpty } ?? ""
        let isDumb = environment["TERM"] == "dumb"
        let lost = LostOutput()
        var console = Console(
            output: { text in
                guard let number = write(text, to: output), lost.isFirst() else { return }
                let reason = String(cString: strerror(number))
                _ = write("ferry: cannot write to standard output: \(reason)\n", to: error)
            },
            error: { _ = write($0, to: error) },
            outputSize: { TerminalSize(descriptor: output) },
            errorSize: { isDumb ? nil : TerminalSize(descriptor: error) },
            isUnicode: locale.lowercased().contains("utf-8") || locale.lowercased().contains("utf8")
        )
        console.hasLostOutput = { lost.hasSome }
        return console
    }

    /// The characters that lines are drawn with.
    var alphabet: ProgressLine.Alphabet { isUnicode ? .unicode : .ascii }

    /// Writes one or more lines to standard output.
    ///
    /// Characters that control a terminal are replaced, wherever the text comes from.
    func line(_ text: String) { output(text.printableLines + "\n") }

    /// Writes one or more lines to standard error; characters that control a terminal are replaced.
    func errorLine(_ text: String) { error(text.printableLines + "\n") }

    /// Writes a text; returns the number of the error that kept it from being written.
    private static func write(_ text: String, to descriptor: Int32) -> Int32? {
        var text = text
        let number = text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
        // The reader has gone, and SIGPIPE is ignored: the command is to do its work all the same.
        return number == EPIPE ? nil : number
    }

    /// Writes bytes; waits where another program has set the descriptor not to wait by itself.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - descriptor: The descriptor.
    /// - Returns: The number of the error that kept them from being written; nil if they were.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(descriptor, part.baseAddress, part.count)
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: waitForRoom(in: descriptor)
            default: return errno
            }
        }
        return nil
    }

    /// Waits until a descriptor takes more bytes, as another program has set it not to wait by itself.
    private static func waitForRoom(in descriptor: Int32) {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&state, 1, -1)
    }
}

/// Whether output was lost.
private final class LostOutput: Sendable {
    private let state = Mutex(false)

    var hasSome: Bool { state.withLock { $0 } }

    /// Notes that some was lost; returns whether it is the first time.
    func isFirst() -> Bool {
        state.withLock { hasSome in
            defer { hasSome = true }
            return !hasSome
        }
    }
}

/// The size of a terminal in characters.
package struct TerminalSize: Hashable, Sendable {
    /// The columns of a line.
    package var columns: Int
    /// The lines.
    package var rows: Int

    /// A size.
    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// The size of the terminal behind a descriptor; nil when it is not a terminal.
    ///
    /// - Parameter descriptor: The descriptor, e.g. that of standard error.
    init?(descriptor: Int32) {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        // A terminal that does not know its size, such as a serial line, is assumed to be small.
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        self =
            isKnown
            ? TerminalSize(columns: Int(size.ws_col), rows: max(2, Int(size.ws_row)))
            : TerminalSize(columns: 80, rows: 24)
    }
}
