/// One transfer in one line of a terminal.
struct ProgressLine {
    /// The characters a line is drawn with.
    enum Alphabet: Sendable {
        /// For terminals that use UTF-8.
        case unicode
        /// For all others.
        case ascii

        fileprivate var ellipsis: String { self == .unicode ? "…" : "..." }
        fileprivate var done: Character { self == .unicode ? "━" : "#" }
        fileprivate var missing: Character { self == .unicode ? "─" : "-" }
    }

    /// The width of each part in columns, including two spaces before it.
    private enum Columns {
        static let amount = 23
        static let speed = 14
        static let timeLeft = 13
        static let percent = 6
        static let smallestName = 12
        static let smallestBar = 12
        static let largestBar = 42
    }

    private let row: TransferRow
    private let alphabet: Alphabet
    private let instant: Duration

    /// A line for a transfer.
    ///
    /// - Parameters:
    ///   - row: The transfer.
    ///   - alphabet: The characters to draw with.
    ///   - instant: The time, on the clock of the row's figures.
    init(_ row: TransferRow, alphabet: Alphabet, at instant: Duration) {
        self.row = row
        self.alphabet = alphabet
        self.instant = instant
    }

    /// Returns the line, never wider than the available columns.
    ///
    /// - Parameter width: The number of available columns.
    /// - Returns: The text.
    func text(width: Int) -> String {
        switch row.state {
        case .running:
            return running(width: width)
        case .waiting(let hold):
            return line(hold?.text ?? "waiting", width: width)
        case .over(let outcome):
            return line(row.text(of: outcome), width: width)
        }
    }

    /// The transfer in words, for output that is not a terminal.
    var words: String {
        switch row.state {
        case .running:
            let parts = [amount, percent.map { "\($0)%" }, speed, timeLeft.map { "\($0) left" }]
            return "\(row.name): \(parts.compactMap { $0 }.joined(separator: ", "))".printable
        case .waiting(let hold):
            return "\(row.name): \(hold?.text ?? "waiting")".printable
        case .over(let outcome):
            return "\(row.name): \(row.text(of: outcome))".printable
        }
    }

    private func line(_ words: String, width: Int) -> String {
        let name = row.name.printable
        let words = words.printable
        let room = max(Columns.smallestName, width - 2 - words.columnCount)
        let shortened = name.shortened(toColumns: room, ellipsis: alphabet.ellipsis)
        return "\(shortened)  \(words)".cut(toColumns: width, ellipsis: alphabet.ellipsis)
    }

    /// Returns the line of a running transfer; the most important parts stay longest as the terminal gets narrower.
    private func running(width: Int) -> String {
        var room = width - Columns.smallestName - Columns.percent
        func take(_ columns: Int) -> Bool {
            guard room >= columns else { return false }
            room -= columns
            return true
        }
        let hasSpeed = take(Columns.speed)
        let hasBar = take(Columns.smallestBar)
        let hasTimeLeft = take(Columns.timeLeft)
        let hasAmount = take(Columns.amount)
        let name = row.name.printable
        let nameColumns = min(
            max(name.columnCount, Columns.smallestName),
            Columns.smallestName + room
        )
        room -= nameColumns - Columns.smallestName
        var text = name.shortened(toColumns: nameColumns, ellipsis: alphabet.ellipsis)
            .padding(toColumn: nameColumns)
        if hasBar {
            text += "  " + bar(columns: min(Columns.smallestBar + room, Columns.largestBar) - 2)
        }
        text += (percent.map { "\($0)%" } ?? "").leftPadding(toColumn: Columns.percent)
        if hasAmount { text += amount.leftPadding(toColumn: Columns.amount) }
        if hasSpeed { text += (speed ?? "").leftPadding(toColumn: Columns.speed) }
        if hasTimeLeft {
            text += (timeLeft.map { "\($0) left" } ?? "").leftPadding(toColumn: Columns.timeLeft)
        }
        return String(text.prefix(max(0, width)))
    }

    private func bar(columns: Int) -> String {
        guard let expected = row.expectedByteCount, expected > 0 else {
            return String(repeating: alphabet.missing, count: columns)
        }
        let share = Double(min(row.receivedByteCount, expected)) / Double(expected)
        let done = Int(share * Double(columns))
        return String(repeating: alphabet.done, count: done)
            + String(repeating: alphabet.missing, count: columns - done)
    }

    private var percent: Int? {
        row.expectedByteCount.map { Figures.percent(row.receivedByteCount, of: $0) }
    }

    private var amount: String {
        let received = Figures.byteCount(row.receivedByteCount)
        return row.expectedByteCount.map { "\(received) of \(Figures.byteCount($0))" } ?? received
    }

    private var speed: String? {
        row.speed.bytesPerSecond(at: instant).map(Figures.speed)
    }

    private var timeLeft: String? {
        guard let expected = row.expectedByteCount else { return nil }
        return row.speed.timeLeft(for: expected - row.receivedByteCount, at: instant)
            .map(Figures.duration)
    }
}
