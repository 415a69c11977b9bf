import Ferry

/// `ferry watch`: follows transfers until they are over.
struct WatchCommand: Command {
    static let syntax = CommandSyntax(
        name: "watch",
        summary: "follow transfers until they are over",
        discussion: [
            "Without an ID it follows all of them. Ctrl-C ends the watching, not the transfers. Of one that "
                + "has ended already it says what became of it, and exits as if it had watched that."
        ],
        examples: [
            .init(
                "ferry watch 12",
                "Come back to a transfer:"
            )
        ],
        options: [.json],
        operands: .any("ID"),
        command: Self.self
    )

    private let identifiers: [Int]
    private let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        identifiers = try arguments.taskIdentifiers()
        isJSON = arguments.has(.json)
    }

    func run(in context: Context) async throws -> ExitCode {
        if identifiers.isEmpty {
            // A stream says nothing of a ferryd that does not answer; a call does.
            _ = try await context.daemon.page(limit: 1)
        }
        var rows: [TransferRow] = []
        var ended: [TransferDaemon.EndedTransfer] = []
        for identifier in identifiers {
            switch try await context.daemon.presentOrEnded(identifier) {
            case .present(let transfer): rows.append(TransferRow(transfer))
            case .ended(let transfer): ended.append(transfer)
            }
        }
        for transfer in ended { try notify(transfer, in: context) }
        let hasFailure = ended.contains { !$0.outcome.isSuccess }
        if rows.isEmpty, !ended.isEmpty { return hasFailure ? .failure : .success }
        let code = try await follow(rows, in: context)
        return code == .success && hasFailure ? .failure : code
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
        let code = try await follower.run(
            following: identifiers.isEmpty ? .all : .numbers(Set(rows.compactMap(\.number)))
        )
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
            rows.filter { $0.id.application == DownloadSession.application }.map(\.id.session)
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
            application: DownloadSession.application,
            session: session.identifier
        )
        let rest = try await context.daemon.page(of: query, limit: 1)
        if rest.transfers.isEmpty { await session.finish() }
    }
}
