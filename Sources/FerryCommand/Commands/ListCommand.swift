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
            "With --all it also shows what has ended: the last 1000 transfers, or as many as 'history' in ferry.conf says, behind those whose applications "
                + "have not taken their files yet.",
            Color.discussion,
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
    private static let pageLimit = 1000

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
        let isColored = Color.isWanted(in: context.environment, isTerminal: columns != nil)
        var output = Output(columns: columns, isColored: isColored, console: console)
        let rest =
            if isJSON {
                try await list(
                    limit,
                    { try await context.daemon.encodedPage(after: $0, limit: $1) },
                    show: { try output.add($0.map { TransferReport($0) }) }
                )
            } else {
                try await list(limit, context.daemon.summaries) {
                    let now = context.now()
                    output.add($0.map { TransferTable.Row($0, now: now) })
                }
            }
        var hidden = 0
        if showsAll, rest.position == nil {
            let ended = try await ended(besides: rest.ids, in: context)
            let shown = ended.prefix(rest.left).reversed()
            hidden = ended.count - shown.count
            if isJSON {
                try output.add(shown.map { EndedReport($0) })
            } else {
                output.add(shown.map { TransferTable.Row($0) })
            }
        }
        output.finish()
        if !isJSON { await notifyRest(after: rest.position, hidden, limit: limit, in: context) }
        if output.isEmpty, !isJSON, console.errorSize() != nil {
            console.errorLine("ferry: \(showsAll ? "there are no transfers" : Self.nothing)")
        }
        return .success
    }

    /// What is left to list after some pages.
    private struct Rest {
        /// Where the next page begins; nil after the last one.
        var position: Int?
        /// The maximum number of further transfers.
        var left: Int
        /// The numbers of those that were shown, if others are looked for.
        var ids: Set<Int> = []
    }

    /// Lists transfers page by page; ferryd prepares each while the one before it is decoded and written.
    private func list<Transfer: ToldTransfer & Sendable>(
        _ limit: Int?,
        _ request:
            @escaping @Sendable (Int?, Int) async throws ->
            TransferDaemon.EncodedPage<
                Transfer
            >,
        show: ([Transfer]) throws -> Void
    ) async throws -> Rest {
        var rest = Rest(position: after, left: limit ?? .max)
        func next() -> Task<TransferDaemon.EncodedPage<Transfer>, any Error> {
            Task { [rest] in try await request(rest.position, min(rest.left, Self.pageLimit)) }
        }
        var upcoming = next()
        repeat {
            let page = try await upcoming.value
            rest.position = page.next
            let needsNext = rest.position != nil && rest.left > Self.pageLimit
            if needsNext { upcoming = next() }
            var transfers = try page.transfers()
            transfers.removeAll { !isShown($0) }
            transfers.removeLast(max(0, transfers.count - rest.left))
            rest.left -= transfers.count
            if !needsNext && rest.position != nil && rest.left > 0 { upcoming = next() }
            if showsAll { rest.ids.formUnion(transfers.map(\.id)) }
            try show(transfers)
        } while rest.left > 0 && rest.position != nil
        return rest
    }

    private static let nothing =
        "nothing is under way; 'ferry list --all' shows what has ended"

    /// Whether a transfer is shown: a complete file that waits is under way, too.
    private func isShown(_ transfer: some ToldTransfer) -> Bool {
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
    private let columns: Int?
    private let isColored: Bool
    private let console: Console
    private var table = TransferTable()
    private var rows: [TransferTable.Row] = []
    /// Whether nothing was written.
    private(set) var isEmpty = true

    init(columns: Int?, isColored: Bool, console: Console) {
        // Who wants colors wants what is shown on a terminal.
        self.columns = columns ?? (isColored ? .max : nil)
        self.isColored = isColored
        self.console = console
    }

    /// Adds reports.
    mutating func add(_ reports: [some Encodable]) throws {
        if !reports.isEmpty {
            write(try reports.map { try JSONLine.text($0) }.joined(separator: "\n"))
        }
    }

    /// Adds rows.
    mutating func add(_ new: [TransferTable.Row]) {
        guard columns == nil else {
            rows += new
            return
        }
        if !new.isEmpty { write(table.lines(new)) }
    }

    /// Writes what is left to write.
    mutating func finish() {
        guard let columns, !rows.isEmpty else { return }
        isEmpty = false
        // The cells are printable, and colors are not.
        console.output(TransferTable.lines(rows, limit: columns, isColored: isColored) + "\n")
    }

    private mutating func write(_ lines: String) {
        isEmpty = false
        console.line(lines)
    }
}
