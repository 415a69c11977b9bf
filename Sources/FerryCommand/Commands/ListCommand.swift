import Ferry
import Foundation

/// `ferry list`: the transfers of all applications.
struct ListCommand: Command {
    private static let all = OptionSyntax(
        "all",
        letter: "a",
        help: "those that have ended, too"
    )
    private static let limit = OptionSyntax(
        "limit",
        value: "N",
        help: "show at most N of them; 100 on a terminal"
    )
    private static let after = OptionSyntax(
        "after",
        value: "ID",
        help: "begin after this one; with --limit, the next page"
    )

    static let syntax = CommandSyntax(
        name: "list",
        summary: "show the transfers of all applications",
        discussion: [
            "With --all it also shows what has ended: the last 1000 transfers, behind those whose applications "
                + "have not taken their files yet."
        ],
        examples: [
            .init(
                "ferry list",
                "Show what is under way:"
            ),
            .init(
                "ferry list --json | jq .id",
                "Give the numbers of all transfers to another program:"
            ),
        ],
        options: [all, limit, after, .json],
        command: Self.self
    )

    /// The default limit on a terminal.
    private static let terminalLimit = 100
    /// The maximum number of transfers that are requested at once.
    private static let pageLimit = 250

    /// Whether transfers that have ended are shown, too.
    private let showsAll: Bool
    private let limit: Int?
    private let after: Int?
    private let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        showsAll = arguments.has(Self.all)
        limit = try arguments.integer(of: Self.limit, in: 1...Int.max)
        after = try arguments.integer(of: Self.after, in: 0...Int.max)
        isJSON = arguments.has(.json)
    }

    func run(in context: Context) async throws -> ExitCode {
        let console = context.console
        let columns = isJSON ? nil : console.outputSize()?.columns
        let limit = limit ?? (columns == nil ? nil : Self.terminalLimit)
        var output = Output(isJSON: isJSON, columns: columns, console: console)
        var position = after
        var left = limit ?? .max
        var ids: Set<Int> = []
        var upcoming = request(after: position, limit: left, in: context)
        repeat {
            let page = try await upcoming.value
            position = page.next
            let needsNext = position != nil && left > Self.pageLimit
            if needsNext { upcoming = request(after: position, limit: left, in: context) }
            let transfers = try page.transfers().filter(isShown).prefix(left)
            left -= transfers.count
            if !needsNext && position != nil && left > 0 {
                upcoming = request(after: position, limit: left, in: context)
            }
            if showsAll { ids.formUnion(transfers.map(\.id)) }
            try output.add(transfers.map { ($0, context.now()) })
        } while left > 0 && position != nil
        var hidden = 0
        if showsAll, position == nil {
            let ended = try await ended(besides: ids, in: context)
            hidden = ended.count - ended.prefix(left).count
            try output.add(Array(ended.prefix(left).reversed()))
        }
        output.finish()
        if !isJSON { await notifyRest(after: position, hidden, limit: limit, in: context) }
        if output.isEmpty, !isJSON, console.errorSize() != nil {
            console.errorLine("ferry: \(showsAll ? "there are no transfers" : Self.nothing)")
        }
        return .success
    }

    private static let nothing =
        "nothing is under way; 'ferry list --all' shows what has ended"

    /// Whether a transfer is shown: a complete file that waits is under way, too.
    private func isShown(_ transfer: TransferDaemon.Transfer) -> Bool {
        showsAll || transfer.state != .completed || transfer.obstacle != nil
    }

    /// Returns the transfers that have ended, the last one first; none of an older ferryd, which remembers none.
    private func ended(
        besides shown: Set<Int>,
        in context: Context
    ) async throws(TransferDaemonError) -> [TransferDaemon.EndedTransfer] {
        do throws(TransferDaemonError) {
            let all = try await context.daemon.endedTransfers()
            return all.filter { !shown.contains($0.id) && $0.id > after ?? 0 }
        } catch let error where error.code == .unexpectedReply {
            return []
        }
    }

    /// Tells how many transfers are not shown, and how to see them.
    private func notifyRest(
        after position: Int?,
        _ hiddenCount: Int,
        limit: Int?,
        in context: Context
    ) async {
        if let position {
            let count = await remainder(besides: limit ?? 0, in: context)
            context.console.errorLine("\(count)More: \(command(after: position))")
        } else if hiddenCount > 0 {
            let all = (limit ?? 0) + hiddenCount
            let subject =
                hiddenCount == 1 ? "1 that has ended is" : "\(hiddenCount) that have ended are"
            context.console.errorLine("\(subject) not shown. More: ferry list --all --limit \(all)")
        }
    }

    /// Requests a page, which ferryd prepares while the one before it is decoded and written.
    private func request(
        after position: Int?,
        limit: Int,
        in context: Context
    ) -> Task<TransferDaemon.EncodedPage, any Error> {
        Task {
            try await context.daemon.encodedPage(
                after: position,
                limit: min(limit, Self.pageLimit)
            )
        }
    }

    /// Returns a sentence with the number of transfers that are not shown; empty if it is unknown or zero.
    private func remainder(besides shown: Int, in context: Context) async -> String {
        guard after == nil, !showsAll, let status = try? await context.daemon.status()
        else { return "" }
        let count = status.runningCount + status.waitingCount + status.suspendedCount - shown
        guard count > 0 else { return "" }
        return "\(count) \(count == 1 ? "is" : "are") not shown. "
    }

    /// Returns the command that shows the next page.
    private func command(after position: Int) -> String {
        var words = ["ferry list"]
        if showsAll { words.append("--all") }
        if let limit { words.append("--limit \(limit)") }
        return (words + ["--after \(position)"]).joined(separator: " ")
    }
}

/// What `ferry list` writes: line by line for a program; for a terminal at once, because all rows decide on its columns.
private struct Output {
    private let isJSON: Bool
    private let columns: Int?
    private let console: Console
    private var table = TransferTable()
    private var rows: [TransferTable.Row] = []
    /// Whether nothing was written.
    private(set) var isEmpty = true

    init(isJSON: Bool, columns: Int?, console: Console) {
        self.isJSON = isJSON
        self.columns = columns
        self.console = console
    }

    /// Adds transfers, with the present.
    mutating func add(_ transfers: [(TransferDaemon.Transfer, Date)]) throws {
        try add(transfers, { TransferReport($0.0) }, { TransferTable.Row($0.0, now: $0.1) })
    }

    /// Adds transfers that have ended.
    mutating func add(_ transfers: some Collection<TransferDaemon.EndedTransfer>) throws {
        try add(transfers, EndedReport.init, { TransferTable.Row($0) })
    }

    private mutating func add<Element, Report: Encodable>(
        _ elements: some Collection<Element>,
        _ report: (Element) -> Report,
        _ row: (Element) -> TransferTable.Row
    ) throws {
        guard !elements.isEmpty else { return }
        isEmpty = false
        if isJSON {
            write(try elements.map { try JSONLine.text(report($0)) })
        } else if columns == nil {
            write(table.lines(elements.map(row)))
        } else {
            rows += elements.map(row)
        }
    }

    /// Writes what is left to write.
    func finish() {
        if let columns, !rows.isEmpty { write(TransferTable.lines(rows, limit: columns)) }
    }

    private func write(_ lines: [String]) { console.line(lines.joined(separator: "\n")) }
}
