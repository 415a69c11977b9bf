import Ferry
import Foundation

/// `ferry get`: downloads files in the background and shows their progress.
struct GetCommand: Command {
    private static let inputFile = OptionSyntax(
        "input-file",
        letter: "i",
        value: "FILE",
        help: "download the URLs in this list, too; '-' is standard input"
    )
    private static let noPatterns = OptionSyntax(
        "globoff",
        letter: "g",
        help: "take brackets and braces in a URL as they are"
    )
    private static let perHost = OptionSyntax(
        "per-host",
        value: "N",
        help: "load at most N files from a server at a time (default: as ferry.conf says)"
    )
    private static let giveUpAfter = OptionSyntax(
        "give-up-after",
        value: "TIME",
        help: "give up a file that is not complete after 90s, 30m, 12h, 3d … (default: 7d)"
    )
    private static let detach = OptionSyntax(
        "detach",
        help: "do not wait; show the transfers' IDs"
    )
    private static let quiet = OptionSyntax("quiet", letter: "q", help: "show only what goes wrong")

    static let syntax = CommandSyntax(
        name: "get",
        summary: "download files, also when this command ends before they are complete",
        discussion: [
            "Ctrl-C leaves the transfers running; 'ferry watch ID' comes back to them. Finished files "
                + "are saved with or without a ferry command running, each when it is complete.",
            "What fails is tried again for a week, or as long as --give-up-after says. If a server has not "
                + "answered yet, for example because its name does not exist or it refuses connections, it is asked "
                + "\(RequestedDownload.unansweredAttempts) times, which takes about 10 seconds, or about 90 if it does not respond at all and "
                + "--connect-timeout is not set; with --detach and after Ctrl-C, for a week. One that answers only that it "
                + "is not available, by a status of 408, 429 or 500 and more, is asked 11 times, which takes about 10 minutes. --retries sets the number for all of these cases. "
                + "Attempts without a network do not count.",
            "A file never replaces another: when NAME is taken it becomes NAME.1, NAME.2 and so on. "
                + "A file that cannot be saved where it belongs is kept in "
                + "~/.local/share/ferry/unplaced. A status of 400 or more is a failure; 501, 505 and those below 500 other "
                + "than 408 and 429 are final at once.",
            "What is here is kept: once bytes have come, neither an error response nor a login page in their place ends a "
                + "transfer. It is asked for again until --give-up-after. If its link has expired, 'ferry relink' continues "
                + "it from another one; 'ferry why ID' tells. The same command continues a file that was given up.",
            "A URL may have ranges and sets, as curl has them: '[1-9]', '[001-100]', '[a-z]', '[0-100:10]', '{one,two}'. "
                + "Quote it, so that the shell does not read them.",
            "A list has a URL in each line, or a URL, a tab and the file's name, or several URLs of one file with tabs between them. "
                + "The lines after it that begin with a blank have its options, as aria2 has them: 'output=NAME', "
                + "'checksum=sha-256=9f86…', 'header=NAME: VALUE'. What the command line says holds for all of them. Empty lines, "
                + "and those that begin with '#', are left out. If a line is invalid, nothing is downloaded.",
            ConnectionChoice.discussion,
            "When standard output is no terminal, it gets the path of each saved file.",
        ],
        examples: [
            .init(
                "ferry get https://example.org/debian.iso",
                "Download a file into the current directory:"
            ),
            .init(
                "ferry get --detach -d ~/Videos https://example.org/a.mp4 https://example.org/b.mp4",
                "Hand two files to ferryd, and do other things meanwhile:"
            ),
            .init(
                "ferry get --checksum sha-256=$DIGEST https://example.org/debian.iso",
                "Save a file only if its digest is the one that is known:"
            ),
            .init(
                "ferry get --unmetered-only --when-idle https://example.org/debian.iso",
                "Leave the battery and the metered network alone:"
            ),
            .init(
                "ferry get -i list.txt -d ~/Music",
                "Download what a list has:"
            ),
            .init(
                "ferry get -o 'page-#1.png' 'https://example.org/scan/[001-120]/page.png'",
                "Download numbered files under names of their own:"
            ),
        ],
        options: [inputFile] + RequestedDownload.options + [perHost, giveUpAfter]
            + ConnectionChoice.options + [noPatterns, detach, .json, quiet],
        operands: .any("URL"),
        command: Self.self
    )

    private let arguments: Arguments
    private let sessionOptions: SessionOptions
    private let connections: ConnectionChoice
    private let isDetached: Bool
    private let style: TransferDisplay.Style

    init(_ arguments: Arguments) throws(UsageError) {
        self.arguments = arguments
        isDetached = arguments.has(Self.detach)
        let shown = isDetached ? TransferDisplay.Style.results : .full
        style = arguments.has(.json) ? .json : arguments.has(Self.quiet) ? .quiet : shown
        sessionOptions = SessionOptions(
            timeLimit: try arguments.value(of: Self.giveUpAfter)
                .map { text throws(UsageError) in
                    try arguments.duration(text, of: Self.giveUpAfter)
                },
            maximumConnectionsPerHost: try arguments.integer(of: Self.perHost, in: 1...1000)
        )
        connections = try ConnectionChoice(arguments)
        guard arguments.operands.isEmpty else { return }
        guard arguments.has(Self.inputFile) else { throw arguments.error("URL... is missing.") }
    }

    func run(in context: Context) async throws -> ExitCode {
        let downloads = try downloads(in: context)
        var places = Destinations(at: context.now())
        let destinations = try places.all(of: downloads)
        try connections.check()
        // A clear error now rather than transfers that fail one by one.
        _ = try await context.daemon.page(limit: 1)
        let mailbox = TransferFollower.Mailbox()
        var taker = FileTaker(environment: context.environment)
        taker.whenWaiting = { id, _, obstacle in mailbox.send(.held(id, .init(obstacle))) }
        var sessionOptions = sessionOptions
        sessionOptions.connections = connections
        sessionOptions.environment = context.environment
        let session = context.openSession(
            "get-\(UUID().uuidString.lowercased())",
            sessionOptions,
            taker
        ) { id, _, outcome in mailbox.send(.ended(id, outcome)) }
        var follower = TransferFollower(
            TransferWatch(
                try start(downloads, destinations, in: session),
                endsWhenNumbered: isDetached,
                isOwn: { _ in true }
            ),
            style: style,
            mailbox: mailbox,
            context: context
        )
        let numbers = try await numbers(of: session, in: context, mailbox: mailbox)
        let code = try await follower.run(following: .numbers(isDetached ? [] : numbers))
        let left = follower.rows.filter { !$0.isOver }
        if left.isEmpty {
            await session.finish()
        } else {
            try sayGoodbye(to: left, in: context.console)
        }
        return code
    }

    /// Returns what the operands and the lists ask for, in their order.
    private func downloads(in context: Context) throws -> [RequestedDownload] {
        let lists = arguments.values(of: Self.inputFile)
        let source = DownloadSource(
            arguments,
            isDetached: isDetached,
            hasPatterns: !arguments.has(Self.noPatterns)
        )
        let typed = try source.typed(hasLists: !lists.isEmpty)
        return try lists.reduce(typed) { try $0 + source.listed($1, in: context) }
    }

    private func start(
        _ downloads: [RequestedDownload],
        _ destinations: [Destination],
        in session: OpenSession
    ) throws -> [TransferRow] {
        try zip(downloads, destinations).compactMap { download, destination in
            let request = download.request
            guard let id = try session.download(request, download.options, destination) else {
                return nil
            }
            let proposed = FileName(contentDisposition: nil, address: request.url?.absoluteString)
            return TransferRow(
                id: id,
                name: download.name ?? proposed.text,
                url: request.url?.shown ?? "-",
                isToBegin: true
            )
        }
    }

    /// Waits until ferryd has stored the transfers, and returns their numbers.
    private func numbers(
        of session: OpenSession,
        in context: Context,
        mailbox: TransferFollower.Mailbox
    ) async throws -> Set<Int> {
        await session.settle()
        let query = TransferDaemon.Query(
            application: DownloadSession.application,
            session: session.identifier
        )
        var transfers: [TransferDaemon.Transfer] = []
        for try await transfer in context.daemon.transfers(matching: query) {
            transfers.append(transfer)
        }
        mailbox.send(.snapshot(transfers))
        return Set(transfers.map(\.id))
    }

    private func sayGoodbye(to rows: [TransferRow], in console: Console) throws {
        if style == .json {
            for row in rows { console.line(try JSONLine.text(RowReport(row, event: "detached"))) }
            return
        }
        if isDetached {
            for row in rows { console.line("\(row.number.map(String.init) ?? "-")  \(row.url)") }
        } else {
            let subject = rows.count == 1 ? "The transfer goes" : "The transfers go"
            // The last one is remembered the longest.
            let last = rows.compactMap(\.number).max()
            let command =
                last.map { "ferry watch \(rows.count == 1 ? "" : "@")\($0)" } ?? "ferry list"
            console.errorLine("\n\(subject) on in the background; come back with: \(command)")
        }
    }
}
