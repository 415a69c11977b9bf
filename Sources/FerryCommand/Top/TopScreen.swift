import Ferry
import Foundation

/// The screen of `ferry top`: what it shows, and what keys do.
struct TopScreen: Sendable {
    /// What a key has ferryd do.
    enum Action: Hashable, Sendable {
        case pause(Int)
        case resume(Int)
        case cancel(Int)
        case setPriority(Float, Int)
        case setRate(String, Int?)
        case relink(String, Int)
        case quit
    }

    /// What transfers are sorted by.
    enum Order: String, CaseIterable, Sendable {
        case state, number, rate, name
    }

    /// What the lower part shows, or keys go to.
    enum Mode: Hashable, Sendable {
        case list, help, details
        case prompt(Prompt)
        case confirmation(Int)
    }

    /// A question for a line of text.
    struct Prompt: Hashable, Sendable {
        enum Subject: Hashable, Sendable {
            case filter
            case rate(Int)
            case totalRate
            case link(Int)

            var question: String {
                switch self {
                case .filter: "Show names with: "
                case .rate(let id): "Limit of \(id) (500k, 2M, none): "
                case .totalRate: "Limit of all together (500k, 2M, none): "
                case .link(let id): "New URL of \(id): "
                }
            }
        }

        var subject: Subject
        var text = ""
    }

    private(set) var mode = Mode.list
    private(set) var order = Order.state
    private(set) var filter = ""
    private(set) var selection: Int?
    /// What the last action has brought about; shown until the next key.
    var message: String?
    var size: TerminalSize
    private let alphabet: ProgressLine.Alphabet
    private var transfers: [Int: TransferDaemon.Transfer] = [:]
    private var graphs: [Int: RateGraph] = [:]
    /// The transfers that are shown, sorted; nil when that has changed.
    private var sorted: [Int]?
    private var first = 0

    init(size: TerminalSize, alphabet: ProgressLine.Alphabet) {
        (self.size, self.alphabet) = (size, alphabet)
    }

    /// Whether something on the screen changes with the time alone.
    var isLively: Bool {
        transfers.values.contains { $0.state == .running || $0.wait?.until != nil }
    }

    /// Takes changes of transfers.
    mutating func update(_ changes: TransferDaemon.Changes, at instant: Duration) {
        for transfer in changes.updated {
            let known = transfers.updateValue(transfer, forKey: transfer.id)
            if known?.state != transfer.state || order == .rate || known?.name != transfer.name {
                sorted = nil
            }
            if transfer.state == .running {
                graphs[transfer.id, default: RateGraph()].add(
                    transfer.bytesPerSecond ?? 0,
                    at: instant
                )
            }
        }
        for id in changes.removed where transfers.removeValue(forKey: id) != nil {
            graphs[id] = nil
            sorted = nil
        }
    }

    /// Forgets all transfers: ferryd tells them anew.
    mutating func reset() { (transfers, sorted) = ([:], nil) }

    // MARK: - Keys

    /// Handles a key.
    ///
    /// - Returns: What ferryd is to do, if anything.
    mutating func handle(_ key: TopKey) -> Action? {
        message = nil
        switch mode {
        case .prompt(let prompt): return handle(key, prompt)
        case .confirmation(let id):
            mode = .list
            return key == .character("y") ? .cancel(id) : nil
        case .help, .details:
            if [.escape, .enter, .character("q"), .character("?"), .character("w")].contains(key) {
                mode = .list
                return nil
            }
            return handleInList(key)
        case .list: return handleInList(key)
        }
    }

    private mutating func handleInList(_ key: TopKey) -> Action? {
        switch key {
        case .up, .character("k"): move(by: -1)
        case .down, .character("j"): move(by: 1)
        case .pageUp: move(by: -listHeight)
        case .pageDown: move(by: listHeight)
        case .home, .character("g"): move(by: .min)
        case .end, .character("G"): move(by: .max)
        case .character("?"), .character("h"), .function(1): mode = .help
        case .character("w"), .enter: if selection != nil { mode = .details }
        case .character("/"), .function(4): mode = .prompt(Prompt(subject: .filter, text: filter))
        case .character("s"), .function(6): nextOrder()
        case .character("L"): mode = .prompt(Prompt(subject: .totalRate))
        case .character("q"), .function(10): return .quit
        case .escape: setFilter("")
        default: return handleOfTransfer(key)
        }
        return nil
    }

    private mutating func handleOfTransfer(_ key: TopKey) -> Action? {
        guard let id = selection, let transfer = transfers[id] else { return nil }
        switch key {
        case .character(" "), .character("p"):
            return transfer.isPaused ? .resume(id) : .pause(id)
        case .character("r"): return .resume(id)
        case .character("+"), .function(7): return .setPriority(min(transfer.priority + 0.1, 1), id)
        case .character("-"), .function(8): return .setPriority(max(transfer.priority - 0.1, 0), id)
        case .character("l"): mode = .prompt(Prompt(subject: .rate(id)))
        case .character("u"): mode = .prompt(Prompt(subject: .link(id)))
        case .character("x"), .function(9): mode = .confirmation(id)
        default: break
        }
        return nil
    }

    private mutating func handle(_ key: TopKey, _ prompt: Prompt) -> Action? {
        var prompt = prompt
        switch key {
        case .escape: mode = .list
        case .enter:
            mode = .list
            return submit(prompt)
        case .backspace: prompt.text = String(prompt.text.dropLast())
        case .character(let character): prompt.text.append(character)
        default: break
        }
        if case .prompt = mode { mode = .prompt(prompt) }
        return nil
    }

    private mutating func submit(_ prompt: Prompt) -> Action? {
        switch prompt.subject {
        case .filter: setFilter(prompt.text)
        case .rate(let id): return prompt.text.isEmpty ? nil : .setRate(prompt.text, id)
        case .totalRate: return prompt.text.isEmpty ? nil : .setRate(prompt.text, nil)
        case .link(let id): return prompt.text.isEmpty ? nil : .relink(prompt.text, id)
        }
        return nil
    }

    private mutating func setFilter(_ text: String) { (filter, sorted) = (text, nil) }

    private mutating func nextOrder() {
        let all = Order.allCases
        let next = (all.firstIndex(of: order) ?? 0) + 1
        order = all[next % all.count]
        sorted = nil
    }

    private mutating func move(by count: Int) {
        let ids = shownIDs()
        guard !ids.isEmpty else { return }
        let position = selection.flatMap { ids.firstIndex(of: $0) } ?? 0
        let (sum, overflows) = position.addingReportingOverflow(count)
        let wanted = overflows ? (count > 0 ? ids.count - 1 : 0) : sum
        selection = ids[min(max(wanted, 0), ids.count - 1)]
    }

    // MARK: - Order

    private mutating func shownIDs() -> [Int] {
        if let sorted { return sorted }
        let wanted = transfers.values.filter { filter.isEmpty || $0.matches(filter) }
        let ids = wanted.sorted { one, other in
            switch order {
            case .state where one.rank != other.rank: one.rank < other.rank
            case .rate where one.bytesPerSecond != other.bytesPerSecond:
                one.bytesPerSecond ?? -1 > other.bytesPerSecond ?? -1
            case .name where one.name != other.name: one.name < other.name
            case .state, .rate, .name, .number: one.id < other.id
            }
        }.map(\.id)
        sorted = ids
        return ids
    }
}

extension TransferDaemon.Transfer {
    /// Running ones come first, those that have ended last.
    fileprivate var rank: Int {
        switch state {
        case .running: 0
        case _ where isPaused: 2
        case .waiting, .suspended: 1
        case .completed: 3
        }
    }

    /// Whether its user or its application has paused it.
    fileprivate var isPaused: Bool { state == .suspended || wait?.reason == .paused }

    fileprivate func matches(_ filter: String) -> Bool {
        name.localizedCaseInsensitiveContains(filter)
            || application.localizedCaseInsensitiveContains(filter)
    }

    /// How its state looks.
    fileprivate var style: TopFrame.Style {
        switch state {
        case .running: .running
        case _ where isPaused: .faint
        case .waiting, .suspended: .waiting
        case .completed: failure == nil ? .plain : .failed
        }
    }
}

// MARK: - What is shown

extension TopScreen {
    /// The number of lines for transfers.
    private var listHeight: Int {
        let below = mode == .details ? min(6, max(size.rows / 3, 2)) : 0
        return max(1, size.rows - 4 - below)
    }

    /// Returns what is shown now.
    mutating func frame(now: Date) -> TopFrame {
        var frame = TopFrame()
        let ids = shownIDs()
        let position = scroll(through: ids)
        frame.add(cut(summary(ids.count)), .strong)
        frame.add("")
        if mode == .help {
            for line in help.prefix(max(0, size.rows - 3)) { frame.add(cut(line)) }
        } else {
            frame.add(cut(columns.heading), .bar)
            for id in ids[first...].prefix(listHeight) {
                guard let transfer = transfers[id] else { continue }
                frame.lines.append(row(of: transfer, now: now))
            }
            if ids.isEmpty { frame.add(cut(nothing), .faint) }
            if mode == .details, let transfer = position.flatMap({ transfers[ids[$0]] }) {
                addDetails(of: transfer, to: &frame, now: now)
            }
        }
        while frame.lines.count < size.rows - 1 { frame.add("") }
        frame.lines.removeLast(max(0, frame.lines.count - (size.rows - 1)))
        frame.add(cut(foot), .bar)
        return frame
    }

    /// Keeps the selected transfer on the screen; returns its position.
    private mutating func scroll(through ids: [Int]) -> Int? {
        let position =
            selection.flatMap { ids.firstIndex(of: $0) }
            ?? (ids.isEmpty ? nil : min(first, ids.count - 1))
        selection = position.map { ids[$0] }
        guard let position else {
            first = 0
            return nil
        }
        first = min(max(first, position - listHeight + 1), position)
        first = min(first, max(0, ids.count - listHeight))
        return position
    }

    private var nothing: String {
        filter.isEmpty ? "Nothing is under way." : "No name has '\(filter)'. Esc shows all."
    }

    private func summary(_ shownCount: Int) -> String {
        let all = transfers.values
        let pausedCount = all.count(where: \.isPaused)
        let waitingCount = all.count { $0.state == .waiting && !$0.isPaused }
        let rate = transfers.values.reduce(Int64(0)) {
            $0 + ($1.state == .running ? $1.bytesPerSecond ?? 0 : 0)
        }
        let parts = [
            "\(all.count { $0.state == .running }) running, \(waitingCount) waiting, \(pausedCount) paused",
            Figures.speed(Double(rate)),
            "by \(order.rawValue)",
            filter.isEmpty ? nil : "'\(filter)': \(shownCount)",
        ]
        return parts.compactMap { $0 }.joined(separator: "   ")
    }

    private var columns: TopColumns { TopColumns(width: size.columns, alphabet: alphabet) }

    private func row(of transfer: TransferDaemon.Transfer, now: Date) -> [TopFrame.Span] {
        let text = columns.text(of: transfer, graph: graphs[transfer.id], now: now)
        let isSelected = transfer.id == selection
        return [
            TopFrame.Span(
                text: cut(text).padding(toColumn: isSelected ? size.columns : 0),
                style: isSelected ? .selected : transfer.style
            )
        ]
    }

    private func addDetails(
        of transfer: TransferDaemon.Transfer,
        to frame: inout TopFrame,
        now: Date
    ) {
        while frame.lines.count < 3 + listHeight { frame.add("") }
        frame.add(alphabet.bar(0, columns: size.columns), .faint)
        for line in Explanation(transfer, now: now).lines {
            for part in line.printable.wrapped(toColumns: size.columns) { frame.add(part) }
        }
    }

    private var foot: String {
        let text =
            switch mode {
            case .prompt(let prompt): prompt.subject.question + prompt.text + "_"
            case .confirmation(let id):
                "Cancel \(id) \(transfers[id]?.name.printable ?? "") and delete its bytes? y/n"
            case .list, .help, .details:
                message
                    ?? "?help  p pause  +/- priority  l limit  w why  u new URL  x cancel  / find  s sort  q quit"
            }
        return cut(text).padding(toColumn: size.columns)
    }

    private func cut(_ text: String) -> String { text.cut(toColumns: size.columns, ellipsis: "") }

    private static let keys = [
        ("Up Down j k", "select a transfer"), ("PgUp PgDn", "select further up or down"),
        ("Space p", "pause, resume"), ("r", "resume; try again now"), ("+ -", "priority"),
        ("l", "limit its rate"), ("L", "limit all together"), ("w Enter", "tell why it waits"),
        ("u", "load it from another URL"), ("x", "cancel it"), ("/", "show names with a word"),
        ("Esc", "show all"), ("s", "sort by state, number, rate, name"),
        ("q", "quit; transfers continue"),
    ]

    /// The keys, in two columns where there is room.
    private var help: [String] {
        let lines = Self.keys.map { "\($0.0.padding(toColumn: 12)) \($0.1)" }
        guard size.columns >= 80 else { return lines }
        let half = (lines.count + 1) / 2
        return (0..<half).map { index in
            let other = index + half < lines.count ? lines[index + half] : ""
            return lines[index].padding(toColumn: 40) + other
        }
    }
}
