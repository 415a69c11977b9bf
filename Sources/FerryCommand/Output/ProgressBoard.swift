/// All followed transfers as lines: as many as fit, running ones in preference to those that are over.
struct ProgressBoard {
    private let all: [TransferRow]
    private let rows: [TransferRow]
    private let alphabet: ProgressLine.Alphabet

    /// A board of transfers.
    ///
    /// - Parameters:
    ///   - rows: The transfers, in their order.
    ///   - others: Those that are shown elsewhere, and are only counted.
    ///   - alphabet: The characters to draw with.
    init(
        _ rows: [TransferRow],
        leavingOut others: Set<TransferRow.ID> = [],
        alphabet: ProgressLine.Alphabet
    ) {
        all = rows
        self.rows = others.isEmpty ? rows : rows.filter { !others.contains($0.id) }
        self.alphabet = alphabet
    }

    /// The lines for a terminal; below several transfers, the last one has their sum.
    ///
    /// A region higher than the terminal could not be redrawn, so that the rest is only part of the sum.
    ///
    /// - Parameters:
    ///   - size: The terminal's size.
    ///   - instant: The time, on the clock of the rows' figures.
    /// - Returns: The lines.
    func lines(for size: TerminalSize, at instant: Duration) -> [String] {
        let hasSum = all.count > 1
        let room = max(1, size.rows - 1) - (hasSum ? 1 : 0)
        let shown = rows.count > room ? visibleRows(room) : rows
        // One column less: a character in the last one makes some terminals wrap.
        let width = size.columns - 1
        let layout = ProgressLayout(shown, width: width)
        var lines = shown.map { row in
            ProgressLine(row, alphabet: alphabet, at: instant).text(in: layout)
        }
        if hasSum {
            let sum = ProgressSum(all, hiddenCount: rows.count - shown.count, at: instant)
            lines.append(sum.text(columns: width, alphabet))
        }
        return lines
    }

    private func visibleRows(_ count: Int) -> [TransferRow] {
        let ranked =
            rows.filter { $0.state == .running }
            + rows.filter { $0.state != .running && !$0.isOver }
            + rows.filter(\.isOver).reversed()
        let chosen = Set(ranked.prefix(count).map(\.id))
        return rows.filter { chosen.contains($0.id) }
    }
}

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
    /// Its lines may be longer than those of the terminal, which wraps them. So each is cleared before its text: behind
    /// a text that ends in the last column, that would delete its last character.
    ///
    /// - Parameters:
    ///   - text: The text's lines.
    ///   - lines: The region's lines below it.
    /// - Returns: The text with its control sequences.
    mutating func insert(_ text: [String], above lines: [String]) -> String {
        let up = lineCount > 0 ? "\u{1B}[\(lineCount)A" : ""
        lineCount = 0
        return "\(up)\r\u{1B}[J" + text.map { "\($0)\n" }.joined() + show(lines)
    }
}
