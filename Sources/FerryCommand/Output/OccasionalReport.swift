/// Decides when progress is worth a line in a log, where lines cannot be redrawn.
struct OccasionalReport {
    /// The minimum time between two lines about a transfer whose state does not change.
    static let interval: Duration = .seconds(10)

    private struct Reported {
        var state: TransferRow.State
        var instant: Duration
    }

    private var reported: [TransferRow.ID: Reported] = [:]

    /// Returns the transfers about which a line is due.
    ///
    /// - Parameters:
    ///   - rows: All followed transfers.
    ///   - instant: The time since some fixed moment.
    /// - Returns: The transfers about which to write a line.
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
