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
        let received = rows.reduce(0) { Self.sum($0, $1.receivedByteCount) }
        let missing = missingByteCount
        if let missing, missing > 0 {
            let whole = Self.sum(received, missing)
            parts.append("\(Figures.byteCount(received)) of \(Figures.byteCount(whole))")
        } else if received > 0 {
            parts.append(Figures.byteCount(received))
        }
        let speed = rows.lazy.filter { $0.state == .running }
            .compactMap { $0.speed.bytesPerSecond(at: instant) }.reduce(0, +)
        guard speed > 0 else { return parts }
        parts.append(Figures.speed(speed))
        let seconds = missing.map { Double($0) / speed } ?? .infinity
        if seconds < 1e9 { parts.append("\(Figures.duration(.seconds(seconds))) left") }
        return parts
    }

    /// Adds what servers say, which may be too much to add.
    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }

    /// The number of bytes that are yet to come; nil if that is not known of each transfer.
    private var missingByteCount: Int64? {
        var count: Int64 = 0
        for row in rows where !row.isOver {
            guard let expected = row.expectedByteCount else { return nil }
            count = Self.sum(count, max(0, expected - row.receivedByteCount))
        }
        return count
    }
}
