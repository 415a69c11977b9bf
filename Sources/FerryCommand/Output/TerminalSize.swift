@preconcurrency import Glibc

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
