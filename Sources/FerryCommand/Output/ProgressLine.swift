/// The columns of all lines that are shown together, so that equal things stand below each other.
struct ProgressLayout: Hashable, Sendable {
    // The width of each part in columns, for its longest text and two spaces before it.
    fileprivate static let percent = 6
    fileprivate static let speed = 12
    fileprivate static let amount = 22
    fileprivate static let timeLeft = 14
    private static let smallestName = 12
    private static let smallestBar = 12
    private static let largestBar = 42

    /// The number of available columns.
    let width: Int
    /// The width of the names.
    let name: Int
    /// The width of the bars; 0 for none.
    let bar: Int
    /// Whether there is room for the bytes that have arrived, and of how many.
    let hasAmount: Bool
    /// Whether there is room for the speed.
    let hasSpeed: Bool
    /// Whether there is room for the time left.
    let hasTimeLeft: Bool

    /// The layout for some transfers; the most important parts stay longest as the terminal gets narrower.
    ///
    /// - Parameters:
    ///   - rows: The transfers.
    ///   - width: The number of available columns.
    init(_ rows: [TransferRow], width: Int) {
        self.width = max(0, width)
        var room = self.width - Self.smallestName - Self.percent
        func take(_ columns: Int) -> Bool {
            guard room >= columns else { return false }
            room -= columns
            return true
        }
        hasSpeed = take(Self.speed)
        hasAmount = hasSpeed && take(Self.amount)
        hasTimeLeft = hasAmount && take(Self.timeLeft)
        let hasBar = hasTimeLeft && take(Self.smallestBar)
        let longest = rows.map(\.title.printable.columnCount).max() ?? 0
        var name = longest
        if rows.contains(where: { $0.state == .running }) {
            name = min(max(longest, Self.smallestName), Self.smallestName + room)
        }
        // What a transfer waits for is worth more than the middle of its name.
        let longestWords =
            rows.compactMap { row in
                ProgressLine(row, alphabet: .ascii, at: .zero).stateText?.columnCount
            }.max()
        if let longestWords {
            name = min(name, max(Self.smallestName, self.width - 2 - longestWords))
        }
        self.name = max(0, name)
        room += Self.smallestName - self.name
        bar = hasBar ? min(Self.smallestBar + room, Self.largestBar) - 2 : 0
    }
}

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

        /// Returns a bar that is filled up to a share, from 0 to 1.
        func bar(_ share: Double, columns: Int) -> String {
            let done = Int(share * Double(columns))
            return String(repeating: self.done, count: done)
                + String(repeating: missing, count: columns - done)
        }
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

    /// Returns the line, never wider than its layout.
    ///
    /// - Parameter layout: The layout of all lines that are shown together.
    /// - Returns: The text.
    func text(in layout: ProgressLayout) -> String {
        let name = row.title.printable
            .shortened(toColumns: layout.name, ellipsis: alphabet.ellipsis)
            .padding(toColumn: layout.name)
        let line = stateText.map { "\(name)  \($0)" } ?? name + figures(in: layout)
        return line.cut(toColumns: layout.width, ellipsis: alphabet.ellipsis)
    }

    /// The line without a limit of its length.
    var wholeText: String { "\(row.title)  \(stateText ?? "")".printable }

    /// What is shown in place of figures; nil for a running transfer.
    var stateText: String? {
        switch row.state {
        case .running: nil
        case .waiting(let hold): (hold?.text ?? "waiting").printable
        case .over(let outcome): row.text(of: outcome).printable
        }
    }

    /// The transfer in words, for output that is not a terminal.
    var words: String {
        switch row.state {
        case .running where row.receivedByteCount == 0: return "\(row.title): started".printable
        case .running:
            let parts = [amount, percent.map { "\($0)%" }, speed, timeLeft.map { "\($0) left" }]
            return "\(row.title): \(parts.compactMap { $0 }.joined(separator: ", "))".printable
        case .waiting(let hold):
            return "\(row.title): \(hold?.text ?? "waiting")".printable
        case .over(let outcome):
            return "\(row.title): \(row.text(of: outcome))".printable
        }
    }

    private func figures(in layout: ProgressLayout) -> String {
        var text = ""
        if layout.bar > 0 { text += "  " + bar(columns: layout.bar) }
        func add(_ part: String?, _ columns: Int) {
            text += (part ?? "").leftPadding(toColumn: columns)
        }
        add(percent.map { "\($0)%" }, ProgressLayout.percent)
        if layout.hasAmount { add(amount, ProgressLayout.amount) }
        if layout.hasSpeed { add(speed, ProgressLayout.speed) }
        if layout.hasTimeLeft { add(timeLeft.map { "\($0) left" }, ProgressLayout.timeLeft) }
        return text
    }

    private func bar(columns: Int) -> String {
        guard let expected = row.expectedByteCount, expected > 0 else {
            return alphabet.bar(0, columns: columns)
        }
        let share = Double(min(row.receivedByteCount, expected)) / Double(expected)
        return alphabet.bar(share, columns: columns)
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
