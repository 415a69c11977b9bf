/// What several followed transfers come to, in one line.
struct ProgressSum {
    private let rows: [TransferRow]
    private let hiddenCount: Int
    private let instant: Duration

    /// The sum of transfers.
    ///
    /// - Parameters:
    ///   - rows: The transfers.
    ///   - hiddenCount: The number of those that have no line of their own.
    ///   - instant: The time, on the clock of the rows' figures.
    init(_ rows: [TransferRow], hiddenCount: Int, at instant: Duration) {
        self.rows = rows
        self.hiddenCount = hiddenCount
        self.instant = instant
    }

    /// Returns the line; the last parts are left out where there is no room for them.
    ///
    /// - Parameters:
    ///   - columns: The number of available columns.
    ///   - alphabet: The characters to draw with.
    /// - Returns: The text, never wider than that.
    func text(columns: Int, _ alphabet: ProgressLine.Alphabet) -> String {
        var text = ""
        for part in parts {
            let longer = text.isEmpty ? part : "\(text), \(part)"
            guard longer.columnCount <= columns else { break }
            text = longer
        }
        return text
    }

    private var parts: [String] {
        let outcomes = rows.compactMap(\.outcome)
        let failureCount = outcomes.count { !$0.isSuccess }
        var parts = ["\(outcomes.count - failureCount) of \(rows.count) done"]
        if failureCount > 0 { parts.append("\(failureCount) failed") }
        if hiddenCount > 0 { parts.append("\(hiddenCount) not shown") }
        let received = rows.reduce(0) { $0 + $1.receivedByteCount }
        let missing = missingByteCount
        if let missing, missing > 0 {
            parts.append(
                "\(Figures.byteCount(received)) of \(Figures.byteCount(received + missing))"
            )
        } else if received > 0 {
            parts.append(Figures.byteCount(received))
        }
        let speed = rows.lazy.filter { $0.state == .running }
            .compactMap { $0.speed.bytesPerSecond(at: instant) }.reduce(0, +)
        guard speed > 0 else { return parts }
        parts.append(Figures.speed(speed))
        if let missing {
            parts.append("\(Figures.duration(.seconds(Double(missing) / speed))) left")
        }
        return parts
    }

    /// The number of bytes that are yet to come; nil if that is not known of each transfer.
    private var missingByteCount: Int64? {
        var count: Int64 = 0
        for row in rows where !row.isOver {
            guard let expected = row.expectedByteCount else { return nil }
            count += max(0, expected - row.receivedByteCount)
        }
        return count
    }
}
