/// Shows followed transfers: as lines drawn in place, as occasional lines, or as JSON.
struct TransferDisplay {
    /// The kind of output.
    enum Style: Sendable {
        /// Progress and results for people.
        case full
        /// Results for people, as they are known by the end of the command.
        case results
        /// Only failures, and the files' paths where a program reads them.
        case quiet
        /// JSON for programs.
        case json
    }

    /// The maximum number of rows that are shown again whenever one of them changes.
    static let promptRowCount = 100

    private let style: Style
    private let console: Console
    private var region = TerminalRegion()
    private var report = OccasionalReport()
    private var reported: [TransferRow.ID: TransferRow] = [:]
    /// The rows of the region, and the failed ones, which are above it for good.
    private var rows: [TransferRow] = []
    private var failed: Set<TransferRow.ID> = []
    /// What is to be above the region for good, and was not written yet.
    private var pending: [String] = []
    private var instant = Duration.zero

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
            // A row that is over is reported by `notify(_:)`.
            for row in rows where !row.isOver && reported[row.id] != row && row.number != nil {
                reported[row.id] = row
                console.line(try JSONLine.text(RowReport(row)))
            }
        case .full, .results:
            self.rows = style == .full ? rows : rows.filter(\.isOver)
            self.instant = instant
            if let size = console.errorSize() {
                let lines = lines(for: size)
                console.error(
                    pending.isEmpty ? region.show(lines) : region.insert(pending, above: lines)
                )
                pending = []
            } else {
                for row in report.due(self.rows, at: instant) {
                    let line = ProgressLine(row, alphabet: console.alphabet, at: instant)
                    console.errorLine("ferry: \(line.words)")
                }
            }
        }
    }

    /// Writes what a server has answered, above the region if both are on a terminal.
    private mutating func show(_ answer: String) {
        let lines = answer.hasSuffix("\n") ? String(answer.dropLast()) : answer
        // Unchanged, for a program.
        guard console.outputSize() != nil else { return console.output(answer) }
        guard let size = console.errorSize() else { return console.line(lines) }
        add(lines.printableLines, for: size)
    }

    /// Writes lines for people, above the region if there is one.
    mutating func tell(_ lines: String) {
        guard style == .full, let size = console.errorSize() else {
            return console.errorLine(lines)
        }
        add(lines.printableLines, for: size)
    }

    /// Writes a text above the region: at once, or with the region's next lines if these are many.
    private mutating func add(_ text: String, for size: TerminalSize) {
        pending.append(text)
        guard rows.count <= Self.promptRowCount else { return }
        console.error(region.insert(pending, above: lines(for: size)))
        pending = []
    }

    /// Whether there is something that the next lines of the region have to bring along.
    var owesLines: Bool { !pending.isEmpty }

    /// The lines of the region.
    private func lines(for size: TerminalSize) -> [String] {
        ProgressBoard(rows, leavingOut: failed, alphabet: console.alphabet)
            .lines(for: size, at: instant)
    }

    /// Reports that a transfer is over, in addition to its row.
    ///
    /// On a terminal, a failure stays above the rows: its reason may be longer than a line, and be what the user copies.
    ///
    /// - Parameter row: The transfer.
    /// - Throws: An error when the row cannot be encoded.
    mutating func notify(_ row: TransferRow) throws {
        if style == .json { return console.line(try JSONLine.text(RowReport(row))) }
        switch row.outcome {
        case .failed where style != .quiet:
            guard let size = console.errorSize() else { return }
            failed.insert(row.id)
            add(ProgressLine(row, alphabet: console.alphabet, at: instant).wholeText, for: size)
        case .saved(let path, _) where console.outputSize() == nil,
            .unchanged(let path) where console.outputSize() == nil:
            // Unchanged, for a program.
            console.output(path + "\n")
        case .sent(let answer) where style != .quiet && !answer.isEmpty:
            show(answer)
        case .failed(let reason) where style == .quiet:
            console.errorLine("ferry: \(row.url): \(reason.message)")
        default:
            return
        }
    }
}
