import Ferry
import Foundation

/// `ferry list`: the transfers of all applications.
struct ListCommand: Command {
    private static let all = OptionSyntax("all", letter: "a", help: "completed ones, too")
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
            "Completed transfers are those whose application has not taken their files yet."
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

    private let query: TransferDaemon.Query
    private let limit: Int?
    private let after: Int?
    private let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        let states: Set<TransferDaemon.Transfer.State> = [.suspended, .waiting, .running]
        query = TransferDaemon.Query(states: arguments.has(Self.all) ? nil : states)
        limit = try arguments.integer(of: Self.limit, in: 1...Int.max)
        after = try arguments.integer(of: Self.after, in: 0...Int.max)
        isJSON = arguments.has(.json)
    }

    func run(in context: Context) async throws -> ExitCode {
        let console = context.console
        let columns = console.outputSize()?.columns
        let limit = limit ?? (columns == nil || isJSON ? nil : Self.terminalLimit)
        var table = Table(["ID", "STATE", "RECEIVED", "APPLICATION", "URL"])
        var position = after
        var left = limit ?? .max
        var upcoming = request(after: position, limit: left, in: context)
        repeat {
            let page = try await upcoming.value
            let transfers = page.transfers.prefix(left)
            left -= transfers.count
            position = page.next
            if left > 0 && position != nil {
                upcoming = request(after: position, limit: left, in: context)
            }
            guard !transfers.isEmpty else { continue }
            let lines =
                isJSON
                ? try transfers.map { try JSONLine.text(TransferReport($0)) }
                : table.lines(transfers.map { Self.row($0, now: context.now()) }, limit: columns)
            console.line(lines.joined(separator: "\n"))
        } while left > 0 && position != nil
        if !isJSON, let position {
            let count = await remainder(besides: limit ?? 0, in: context)
            console.errorLine("\(count)More: \(command(after: position))")
        }
        return .success
    }

    /// Requests a page, which ferryd prepares while the one before it is written.
    private func request(
        after position: Int?,
        limit: Int,
        in context: Context
    ) -> Task<TransferDaemon.Page, any Error> {
        Task {
            try await context.daemon.page(
                of: query,
                after: position,
                limit: min(limit, Self.pageLimit)
            )
        }
    }

    /// Returns a sentence with the number of transfers that are not shown; empty if it is unknown or zero.
    private func remainder(besides shown: Int, in context: Context) async -> String {
        guard after == nil, query.states != nil, let status = try? await context.daemon.status()
        else { return "" }
        let count = status.runningCount + status.waitingCount + status.suspendedCount - shown
        return count > 0 ? "\(count) are not shown. " : ""
    }

    /// Returns the command that shows the next page.
    private func command(after position: Int) -> String {
        var words = ["ferry list"]
        if query.states == nil { words.append("--all") }
        if let limit { words.append("--limit \(limit)") }
        return (words + ["--after \(position)"]).joined(separator: " ")
    }

    private static func row(_ transfer: TransferDaemon.Transfer, now: Date) -> [String] {
        [
            String(transfer.id), transfer.stateText(now: now), transfer.progressText,
            transfer.application.shortened(toColumns: 32), transfer.shownURL,
        ]
    }
}
