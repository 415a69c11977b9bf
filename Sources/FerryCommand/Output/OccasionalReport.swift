/// Decides when progress is worth a line in a log, where nothing can be drawn again.
struct OccasionalReport {
    /// The least time between two lines of a transfer that only moves on.
    static let interval: Duration = .seconds(10)

    private struct Reported {
        var state: TransferRow.State
        var instant: Duration
    }

    private var reported: [TransferRow.ID: Reported] = [:]

    /// The transfers to write a line about now.
    ///
    /// - Parameters:
    ///   - rows: All followed transfers.
    ///   - instant: The time since some fixed moment.
    /// - Returns: Those of them that are worth a line.
    mutating func due(_ rows: [TransferRow], at instant: Duration) -> [TransferRow] {
        rows.filter { row in
            if case .waiting(let hold) = row.state, hold?.isItsTurn ?? true { return false }
            if let last = reported[row.id], last.state == row.state,
                row.isOver || instant - last.instant < Self.interval
            {
                return false
            }
            reported[row.id] = Reported(state: row.state, instant: instant)
            return true
        }
    }
}
