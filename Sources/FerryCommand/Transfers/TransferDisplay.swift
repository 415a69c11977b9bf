/// Shows followed transfers: as lines drawn in place, as occasional lines, or as JSON.
struct TransferDisplay {
    /// The kind of output.
    enum Style: Sendable {
        /// Progress and results for people.
        case full
        /// Only failures, and the files' paths where a program reads them.
        case quiet
        /// JSON for programs.
        case json
    }

    private let style: Style
    private let console: Console
    private var region = TerminalRegion()
    private var report = OccasionalReport()
    private var reported: [TransferRow.ID: TransferRow] = [:]

    /// A display.
    ///
    /// - Parameters:
    ///   - style: The kind of output.
    ///   - console: The console to write to.
    init(style: Style, console: Console) {
        self.style = style
        self.console = console
    }

    /// Whether the display becomes outdated while nothing happens, such as by a speed that is no longer true.
    var growsStale: Bool { style == .full && console.errorSize() != nil }

    /// Shows the transfers as they are.
    ///
    /// - Parameters:
    ///   - rows: The transfers.
    ///   - instant: The time, on the clock of the rows' figures.
    /// - Throws: An error when a row cannot be encoded.
    mutating func show(_ rows: [TransferRow], at instant: Duration) throws {
        switch style {
        case .quiet:
            return
        case .json:
            // A row that is over is reported by `tell(_:)`.
            for row in rows where !row.isOver && reported[row.id] != row && row.number != nil {
                reported[row.id] = row
                console.line(try JSONLine.text(RowReport(row)))
            }
        case .full:
            if let size = console.errorSize() {
                let board = ProgressBoard(rows, alphabet: console.alphabet)
                console.error(region.show(board.lines(for: size, at: instant)))
            } else {
                for row in report.due(rows, at: instant) {
                    let line = ProgressLine(row, alphabet: console.alphabet, at: instant)
                    console.errorLine("ferry: \(line.words)")
                }
            }
        }
    }

    /// Reports that a transfer is over, in addition to its row.
    ///
    /// - Parameter row: The transfer.
    /// - Throws: An error when the row cannot be encoded.
    func tell(_ row: TransferRow) throws {
        if style == .json { return console.line(try JSONLine.text(RowReport(row))) }
        switch row.outcome {
        case .saved(let path, _) where console.outputSize() == nil:
            // Unchanged, for a program.
            console.output(path + "\n")
        case .failed(let reason) where style == .quiet:
            console.errorLine("ferry: \(row.url): \(reason.message)")
        default:
            return
        }
    }
}
