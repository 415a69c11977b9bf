import Ferry
import Foundation
@preconcurrency import Glibc

/// `ferry history`: the transfers that have ended.
struct HistoryCommand: Command {
    private static let since = OptionSyntax(
        "since",
        value: "TIME",
        help: "those that ended after this date, such as 2026-11-24, or within 12h, 7d …"
    )
    private static let until = OptionSyntax(
        "until",
        value: "TIME",
        help: "those that ended before this date, or longer ago than 12h, 7d …"
    )
    private static let state = OptionSyntax(
        "state",
        value: "STATE",
        help: "those that were saved, unchanged, sent, done, failed or cancelled"
    )
    private static let limit = OptionSyntax(
        "limit",
        value: "N",
        help: "show the last N of them; 100 on a terminal"
    )

    static let syntax = CommandSyntax(
        name: "history",
        summary: "show the transfers that have ended",
        discussion: [
            "TEXT is a part of the file's name, of its path or of the URL, in capitals or not; of several, each has to be there.",
            Color.discussion,
            "ferryd remembers the last 1000 transfers whose programs have taken note of their end, or as many as 'history' and "
                + "'history-days' in ferry.conf say. Of a URL it remembers neither the query nor a password.",
        ],
        examples: [
            .init("ferry history --since 7d", "Show what was loaded in the last week:"),
            .init("ferry history --state failed", "Show what has failed, and why:"),
            .init(
                "ferry history --json debian | jq -r .path",
                "Give the places of some files to another program:"
            ),
        ],
        options: [since, until, state, limit, .json],
        operands: .any("TEXT"),
        command: Self.self
    )

    /// The default limit on a terminal.
    private static let terminalLimit = 100
    private static let states = ["saved", "unchanged", "sent", "done", "failed", "cancelled"]

    private let words: [String]
    private let since: Moment?
    private let until: Moment?
    private let state: String?
    private let limit: Int?
    private let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        words = arguments.operands.map { $0.lowercased() }
        since = try Moment(Self.since, arguments)
        until = try Moment(Self.until, arguments)
        state = arguments.value(of: Self.state)
        if let state, !Self.states.contains(state) {
            let list = Self.states.joined(separator: ", ")
            throw arguments.error("--state is one of \(list), not '\(state)'.")
        }
        limit = try arguments.integer(of: Self.limit, in: 1...Int.max)
        isJSON = arguments.has(.json)
    }

    func run(in context: Context) async throws -> ExitCode {
        let console = context.console
        let columns = isJSON ? nil : console.outputSize()?.columns
        let all = try await context.daemon.endedTransfers().filter(filter(at: context.now()))
        let limit = limit ?? (columns == nil ? .max : Self.terminalLimit)
        // The last one is below, next to the prompt.
        let shown = all.prefix(limit).reversed()
        if isJSON {
            for transfer in shown { console.line(try JSONLine.text(EndedReport(transfer))) }
        } else if shown.isEmpty {
            if console.errorSize() != nil {
                console.errorLine("ferry: there are no such transfers")
            }
        } else {
            let isColored = Color.isWanted(in: context.environment, isTerminal: columns != nil)
            let table = HistoryTable(isColored: isColored, now: context.now())
            // The cells are printable, and colors are not.
            console.output(table.lines(Array(shown), limit: columns) + "\n")
        }
        if self.limit == nil, all.count > limit {
            let count = all.count - limit
            console.errorLine("\(count) older ones are not shown. More: --limit \(all.count)")
        }
        return .success
    }

    private func filter(at now: Date) -> (TransferDaemon.EndedTransfer) -> Bool {
        let earliest = since?.date(before: now)
        let latest = until?.date(before: now)
        return { transfer in
            guard state.map({ $0 == transfer.stateText }) ?? true,
                earliest.map({ transfer.ended >= $0 }) ?? true,
                latest.map({ transfer.ended < $0 }) ?? true
            else { return false }
            if words.isEmpty { return true }
            let text = "\(transfer.name)\n\(transfer.path ?? "")\n\(transfer.address)".lowercased()
            return words.allSatisfy { text.contains($0) }
        }
    }
}

/// A moment in the past: a date where the user is, or some time ago.
private enum Moment {
    case date(Date)
    case ago(Duration)

    /// Reads an option; nil if it was not given.
    init?(_ option: OptionSyntax, _ arguments: Arguments) throws(UsageError) {
        guard let text = arguments.value(of: option) else { return nil }
        if let date = Self.date(text) {
            self = .date(date)
        } else if let duration = try? arguments.duration(of: option) {
            self = .ago(duration)
        } else {
            throw arguments.error(
                "--\(option.name) needs a date such as 2026-11-24 or '2026-11-24 18:00', or a time such as 12h or 7d, not '\(text)'."
            )
        }
    }

    func date(before now: Date) -> Date {
        switch self {
        case .date(let date): date
        case .ago(let duration): now - duration / .seconds(1)
        }
    }

    /// Returns a date such as `2026-11-24` or `2026-11-24 18:00`, where the user is; nil for another text.
    private static func date(_ text: String) -> Date? {
        let halves = text.split(omittingEmptySubsequences: false) { $0 == " " || $0 == "T" }
        let day = numbers(halves[0], "-")
        let time = halves.count > 1 ? numbers(halves[1], ":") : [0, 0]
        guard halves.count <= 2, day.count == 3, 2...3 ~= time.count, 1970...9999 ~= day[0],
            1...12 ~= day[1], 1...31 ~= day[2], 0..<24 ~= time[0], 0..<60 ~= time[1],
            0...60 ~= time.last ?? 0
        else { return nil }
        // By the C library, as ``Foundation/Date/text(now:)`` does; it makes March 1 of February 29.
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (day[0] - 1900, day[1] - 1, day[2])
        (parts.tm_hour, parts.tm_min) = (time[0], time[1])
        parts.tm_sec = time.count > 2 ? time[2] : 0
        parts.tm_isdst = -1
        return Date(timeIntervalSince1970: TimeInterval(mktime(&parts)))
    }

    private static func numbers(_ text: Substring, _ separator: Character) -> [Int32] {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.allSatisfy(\.isNumber) ? Int32($0) : nil }
        return numbers.count == parts.count ? numbers : []
    }
}

/// The table of `ferry history`.
///
/// A program gets all columns. On a terminal no line is wider than that: the place or the reason is shown before the URL.
private struct HistoryTable {
    let isColored: Bool
    let now: Date

    private static let headings = [
        "ID", "ENDED", "STATE", "SIZE", "TOOK", "NAME", "SAVED AS, OR WHY NOT", "FROM OR TO",
    ]
    /// The headings of the columns that are left out where there is no room, the first one first.
    private static let optional = ["FROM OR TO", "TOOK", "SAVED AS, OR WHY NOT", "SIZE"]
    private static let smallestName = 12
    private static let smallestPlace = 24

    func lines(_ transfers: [TransferDaemon.EndedTransfer], limit: Int?) -> String {
        let headings = Self.headings
        let rows = transfers.map(row)
        guard limit != nil || isColored else {
            var table = Table(headings)
            return table.lines(rows, limit: nil)
        }
        let limit = limit ?? .max
        var columns = Array(headings.indices)
        var widths = headings.indices.map { column in
            ([headings[column]] + rows.map { $0[column] }).map(\.columnCount).max() ?? 0
        }
        func excess() -> Int { columns.reduce(-2) { $0 + widths[$1] + 2 } - limit }
        func shorten(_ heading: String, to least: Int) {
            guard let column = headings.firstIndex(of: heading), columns.contains(column) else {
                return
            }
            widths[column] = max(min(widths[column], least), widths[column] - max(0, excess()))
        }
        for heading in Self.optional where excess() > 0 {
            if heading == "TOOK" {
                shorten("SAVED AS, OR WHY NOT", to: Self.smallestPlace)
                shorten("NAME", to: Self.smallestName)
            }
            if excess() > 0 { columns.removeAll { headings[$0] == heading } }
        }
        shorten("NAME", to: 1)
        func line(_ row: [String], _ color: Color?) -> String {
            let cells = columns.map { column in
                row[column].shortened(toColumns: widths[column]).padding(toColumn: widths[column])
            }
            let line = cells.joined(separator: "  ").withoutSpacesAtEnd
                .cut(toColumns: limit, ellipsis: "")
            guard isColored, let color else { return line }
            let start = cells[0].count + cells[1].count + 4
            return color.apply(to: start..<start + cells[2].count, of: line)
        }
        let lines = zip(rows, transfers).map { line($0, $1.color) }
        return ([line(headings, nil)] + lines).joined(separator: "\n")
    }

    private func row(of transfer: TransferDaemon.EndedTransfer) -> [String] {
        let time = Duration.seconds(transfer.ended.timeIntervalSince(transfer.created))
        let place =
            switch transfer.outcome {
            case .saved(let path, _), .unchanged(let path): path
            case .failed(let reason): reason.isCancellation ? "" : reason.message
            case .sent, .completed, .gone: ""
            }
        return [
            String(transfer.id), transfer.ended.text(now: now), transfer.stateText,
            transfer.progressText, Figures.elapsed(max(.zero, time)), transfer.name.printable,
            place.printable, transfer.address.printable,
        ]
    }
}
