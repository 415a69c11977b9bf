/// What running a statement has cost, in SQLite's own counts.
struct StatementCost: Hashable {
    /// Steps of the statement's program and of the triggers it has set off.
    var programSteps = 0
    /// Rows visited because there was no index to find the right ones.
    var scannedRows = 0
    /// Results that had to be sorted because there was no index to read them in order.
    var sorts = 0
}
