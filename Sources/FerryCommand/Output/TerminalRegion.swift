/// The last lines of a terminal, redrawn in place.
struct TerminalRegion: Hashable, Sendable {
    private var lineCount = 0

    /// Returns the output that makes the region show other lines.
    ///
    /// Each line is cleared only after its text, so nothing flickers.
    ///
    /// - Parameter lines: The new lines, none wider than the terminal.
    /// - Returns: The text with its control sequences.
    mutating func show(_ lines: [String]) -> String {
        defer { lineCount = lines.count }
        let up = lineCount > 0 ? "\u{1B}[\(lineCount)A" : ""
        let drawn = lines.map { "\r\($0)\u{1B}[K\n" }.joined()
        return up + drawn + (lines.count < lineCount ? "\u{1B}[J" : "")
    }

    /// Returns the output that inserts text permanently above the region.
    ///
    /// - Parameters:
    ///   - text: The text's lines.
    ///   - lines: The region's lines below it.
    /// - Returns: The text with its control sequences.
    mutating func insert(_ text: [String], above lines: [String]) -> String {
        let up = lineCount > 0 ? "\u{1B}[\(lineCount)A" : ""
        lineCount = 0
        return up + text.map { "\r\($0)\u{1B}[K\n" }.joined() + "\u{1B}[J" + show(lines)
    }
}
