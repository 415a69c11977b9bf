/// The last lines of a terminal, drawn again and again in place.
struct TerminalRegion: Hashable, Sendable {
    private var lineCount = 0

    /// What to write so that the region shows other lines.
    ///
    /// Each line is cleared only behind its text, so nothing flickers.
    ///
    /// - Parameter lines: The new lines, none wider than the terminal.
    /// - Returns: The text with its control sequences.
    mutating func show(_ lines: [String]) -> String {
        defer { lineCount = lines.count }
        let up = lineCount > 0 ? "\u{1B}[\(lineCount)A" : ""
        let drawn = lines.map { "\r\($0)\u{1B}[K\n" }.joined()
        return up + drawn + (lines.count < lineCount ? "\u{1B}[J" : "")
    }

    /// What to write so that text stands above the region for good.
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
