/// All followed transfers as lines: as many as fit, running ones in preference to those that are over.
struct ProgressBoard {
    private let rows: [TransferRow]
    private let alphabet: ProgressLine.Alphabet

    /// A board of transfers.
    ///
    /// - Parameters:
    ///   - rows: The transfers, in their order.
    ///   - alphabet: The characters to draw with.
    init(_ rows: [TransferRow], alphabet: ProgressLine.Alphabet) {
        self.rows = rows
        self.alphabet = alphabet
    }

    /// The lines for a terminal.
    ///
    /// A region higher than the terminal could not be redrawn, so the rest is one line of counts.
    ///
    /// - Parameters:
    ///   - size: The terminal's size.
    ///   - instant: The time, on the clock of the rows' figures.
    /// - Returns: The lines.
    func lines(for size: TerminalSize, at instant: Duration) -> [String] {
        let room = max(1, size.rows - 1)
        let shown = rows.count > room ? visibleRows(room - 1) : rows
        var lines = shown.map { row in
            // One column less: a character in the last one makes some terminals wrap.
            ProgressLine(row, alphabet: alphabet, at: instant).text(width: size.columns - 1)
        }
        if shown.count < rows.count {
            let summary =
                "and \(rows.count - shown.count) more; \(rows.count(where: \.isOver)) of "
                + "\(rows.count) are over"
            lines.append(summary.shortened(toColumns: size.columns - 1))
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
