import Ferry

/// `ferry watch`: follows transfers until they are over.
struct WatchCommand: Command {
    static let syntax = CommandSyntax(
        name: "watch",
        summary: "follow transfers until they are over",
        discussion: [
            "Without an ID it follows all of them. Ctrl-C ends the watching, not the transfers. Of one that "
                + "has ended already it says what became of it, and exits as if it had watched that; ferryd remembers the last "
                + "1000.",
            TransferSelection.discussion,
        ],
        examples: [
            .init(
                "ferry watch 12",
                "Come back to a transfer:"
            ),
            .init(
                "ferry watch @12",
                "Come back to all files of a list:"
            ),
        ],
        options: [TransferSelection.all, .json],
        operands: .any("ID"),
        command: Self.self
    )

    private let selection: TransferSelection
    /// Whether all transfers are followed, including those that are created meanwhile.
    private let followsAll: Bool
    private let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        selection = try TransferSelection(arguments)
        followsAll = arguments.operands.isEmpty
        isJSON = arguments.has(.json)
    }

    func run(in context: Context) async throws -> ExitCode {
        if followsAll {
            // A stream says nothing of a ferryd that does not answer; a call does.
            _ = try await context.daemon.page(limit: 1)
        }
        var rows: [TransferRow] = []
        var ended: [TransferDaemon.EndedTransfer] = []
        for transfer in try await selection.all(of: context.daemon) {
            switch transfer {
            case .present(let transfer): rows.append(TransferRow(transfer))
            case .ended(let transfer): ended.append(transfer)
            }
        }
        try notify(ended, in: context)
        let before = ended.reduce(ExitCode.success) { $0.joined(with: ExitCode($1.outcome)) }
        if rows.isEmpty, !ended.isEmpty { return before }
        let code = try await follow(rows, in: context)
        return code == .interrupted ? code : before.joined(with: code)
    }

    /// The number of transfers that have ended well of which each has its line.
    private static let greatestLineCount = 10

    /// Tells what became of transfers that have ended; of many, only how many were saved.
    private func notify(
        _ ended: [TransferDaemon.EndedTransfer],
        in context: Context
    ) throws {
        let good = ended.filter(\.outcome.isSuccess)
        let isSummed =
            good.count > Self.greatestLineCount && !isJSON && context.console.outputSize() != nil
        for transfer in ended where !isSummed || !transfer.outcome.isSuccess {
            try notify(transfer, in: context)
        }
        if isSummed { context.console.errorLine("ferry: \(good.count) files were saved before") }
    }

    /// Tells what became of a transfer that has ended.
    private func notify(
        _ transfer: TransferDaemon.EndedTransfer,
        in context: Context
    ) throws {
        let console = context.console
        guard !isJSON else {
            return console.line(try JSONLine.text(RowReport(TransferRow(transfer))))
        }
        console.errorLine("ferry: \(transfer.sentence(now: context.now()))")
        if case .saved(let path, _) = transfer.outcome, console.outputSize() == nil {
            // Unchanged, for a program.
            console.output(path + "\n")
        }
    }

    private func follow(_ rows: [TransferRow], in context: Context) async throws -> ExitCode {
        let own = Ownership()
        let mailbox = TransferFollower.Mailbox()
        let sessions = attach(rows, own: own, in: context, mailbox: mailbox)
        var follower = TransferFollower(
            TransferWatch(rows, isOwn: own.contains),
            style: isJSON ? .json : .full,
            mailbox: mailbox,
            context: context
        )
        let followed = Set(rows.compactMap(\.number))
        let code = try await follower.run { followsAll ? .all : .numbers(followed) }
        if follower.rows.isEmpty, !isJSON {
            context.console.errorLine("ferry: nothing is under way")
        }
        if code != .interrupted {
            for session in sessions { try await leave(session, in: context) }
        }
        return code
    }

    /// Opens the sessions of the `ferry get` commands that have ended, to take their files.
    private func attach(
        _ rows: [TransferRow],
        own: Ownership,
        in context: Context,
        mailbox: TransferFollower.Mailbox
    ) -> [OpenSession] {
        let identifiers = Set(
            rows.filter { $0.id.application == CommandSession.application }.map(\.id.session)
        )
        var taker = FileTaker(environment: context.environment)
        taker.whenWaiting = { id, _, obstacle in mailbox.send(.held(id, .init(obstacle))) }
        return identifiers.map { identifier in
            own.insert(identifier)
            return context.openSession(identifier, SessionOptions(), taker) { id, _, outcome in
                if case .failed(let reason) = outcome, reason.code == Outcome.Reason.inUse {
                    // The other process is still running, and takes the files.
                    own.remove(identifier)
                } else {
                    mailbox.send(.ended(id, outcome))
                }
            }
        }
    }

    private func leave(_ session: OpenSession, in context: Context) async throws {
        await session.settle()
        let query = TransferDaemon.Query(
            application: CommandSession.application,
            session: session.identifier
        )
        let rest = try await context.daemon.page(of: query, limit: 1)
        if rest.transfers.isEmpty { await session.finish() }
    }
}
