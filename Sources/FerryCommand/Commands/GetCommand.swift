import Ferry
import FerrySystem
import Foundation
@preconcurrency import Glibc

/// `ferry get`: downloads files in the background and shows their progress.
struct GetCommand: Command {
    private static let output = OptionSyntax(
        "output",
        letter: "o",
        value: "PATH",
        help: "save the file under this name (only with one URL)"
    )
    private static let directory = OptionSyntax(
        "directory",
        letter: "d",
        value: "DIR",
        help: "save the files in this directory (default: the current one)"
    )
    private static let header = OptionSyntax(
        "header",
        letter: "H",
        value: "'NAME: VALUE'",
        help: "send this header field; not to another server after a redirect"
    )
    private static let checksum = OptionSyntax(
        "checksum",
        value: "NAME=DIGITS",
        help: "save the file only with this digest, such as sha-256=9f86… (only with one URL)"
    )
    private static let limitRate = OptionSyntax(
        "limit-rate",
        value: "RATE",
        help: "load each file no faster than this, such as 500k or 2M bytes per second"
    )
    private static let mirror = OptionSyntax(
        "mirror",
        value: "URL",
        help: "load parts from here as well (only with one URL)"
    )
    private static let connections = OptionSyntax(
        "connections",
        value: "N",
        help: "load each file by up to N connections, 1 to 16 (default: 4)"
    )
    private static let retries = OptionSyntax(
        "retries",
        value: "N",
        help: "give up a file after N failures in a row"
    )
    private static let connectTimeout = OptionSyntax(
        "connect-timeout",
        value: "TIME",
        help: "try again when a connection takes longer than 5s, 2m … (default: 15s)"
    )
    private static let giveUpAfter = OptionSyntax(
        "give-up-after",
        value: "TIME",
        help: "give up a file that is not complete after 90s, 30m, 12h, 3d … (default: 7d)"
    )
    private static let keepAwake = OptionSyntax(
        "keep-awake",
        help: "keep the machine from sleeping by itself while the files load"
    )
    private static let unmeteredOnly = OptionSyntax(
        "unmetered-only",
        help: "wait while the network is metered or cellular"
    )
    private static let whenIdle = OptionSyntax(
        "when-idle",
        help: "wait for mains power, an unmetered network and your hours for such transfers"
    )
    /// The number of attempts with a server that has answered no transfer, while a person waits.
    private static let unansweredAttempts = 5
    /// The responses that say that a server has no answer for now, as against 501 and 505, which no time changes.
    private static let retriedStatuses = Set(500...599).subtracting([501, 505]).union([408, 429])
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
                + "\(unansweredAttempts) times, which takes about 10 seconds, or about 90 if it does not respond at all and "
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
        ],
        options: [
            output, directory, header, checksum, mirror, connections, limitRate,
            retries, connectTimeout, giveUpAfter, keepAwake, unmeteredOnly, whenIdle,
        ] + ConnectionChoice.options + [detach, .json, quiet],
        operands: .oneOrMore("URL"),
        command: Self.self
    )

    private let requests: [URLRequest]
    private let transferOptions: TransferOptions
    private let sessionOptions: SessionOptions
    private let connections: ConnectionChoice
    private let name: String?
    private let directory: String
    private let isDetached: Bool
    private let style: TransferDisplay.Style

    init(_ arguments: Arguments) throws(UsageError) {
        let output = try Self.outputFile(arguments)
        name = output?.name
        if let output {
            directory = output.directory
        } else {
            directory = try arguments.place(arguments.value(of: Self.directory) ?? ".").text
        }
        isDetached = arguments.has(Self.detach)
        let shown = isDetached ? TransferDisplay.Style.results : .full
        style = arguments.has(.json) ? .json : arguments.has(Self.quiet) ? .quiet : shown
        requests = try Self.requests(arguments)
        transferOptions = try Self.transferOptions(arguments)
        sessionOptions = SessionOptions(
            timeLimit: try arguments.value(of: Self.giveUpAfter)
                .map { text throws(UsageError) in
                    try arguments.duration(text, of: Self.giveUpAfter)
                }
        )
        connections = try ConnectionChoice(arguments)
    }

    func run(in context: Context) async throws -> ExitCode {
        let destination = try destination(at: context.now())
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
                try start(in: session, destination),
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

    private func start(
        in session: OpenSession,
        _ destination: Destination
    ) throws -> [TransferRow] {
        try requests.compactMap { request in
            var options = transferOptions
            // The home's file system may be too small for the file.
            options.destinationDirectory = URL(filePath: directory, directoryHint: .isDirectory)
            let id = try session.download(request, options, destination)
            guard let id else { return nil }
            let proposed = FileName(contentDisposition: nil, address: request.url?.absoluteString)
                .text
            return TransferRow(
                id: id,
                name: name ?? proposed,
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
        let numbers = rows.compactMap(\.number).map(String.init)
        if isDetached {
            for row in rows { console.line("\(row.number.map(String.init) ?? "-")  \(row.url)") }
        } else {
            let subject = rows.count == 1 ? "The transfer goes" : "The transfers go"
            let command =
                numbers.isEmpty ? "ferry list" : "ferry watch \(numbers.joined(separator: " "))"
            console.errorLine("\n\(subject) on in the background; come back with: \(command)")
        }
    }

    private func destination(at now: Date) throws -> Destination {
        try UnusableDirectory.check(directory)
        if let name { try UnusableName.check(name, in: directory) }
        let mask = umask(0o077)
        umask(mask)
        return Destination(
            directory: directory,
            name: name,
            permissions: 0o666 & ~mask,
            group: getegid(),
            known: (try? Directory(opening: directory)).flatMap(KnownDirectory.init),
            asked: Int64(now.timeIntervalSince1970)
        )
    }

    private static func outputFile(_ arguments: Arguments) throws(UsageError) -> AbsolutePath? {
        guard let path = arguments.value(of: output) else { return nil }
        if arguments.has(directory) {
            throw arguments.error("--output and --directory exclude each other.")
        }
        if arguments.operands.count > 1 {
            throw arguments.error("--output names one file; use --directory for several URLs.")
        }
        let file = try arguments.place(path)
        if path.isEmpty || path.hasSuffix("/") || path == "-" || file.isDirectory {
            throw arguments.error("--output needs a file's name, not '\(path)'.")
        }
        // Some file systems count in UTF-16, so that longer names are possible there.
        let byteCount = file.name.utf8.count
        guard file.name.utf16.count <= FileSystemNames.greatestUnitCount else {
            throw arguments.error(
                "A file's name has at most \(FileName.longestByteCount) bytes; that of --output has \(byteCount)."
            )
        }
        return file
    }

    private static func requests(_ arguments: Arguments) throws(UsageError) -> [URLRequest] {
        let fields = try arguments.values(of: header).map { text throws(UsageError) in
            try field(text, arguments)
        }
        return try arguments.operands.map { text throws(UsageError) in
            let url = try arguments.webAddress(text)
            var request = URLRequest(url: url)
            for field in fields { request.addValue(field.value, forHTTPHeaderField: field.name) }
            return request
        }
    }

    private static func transferOptions(
        _ arguments: Arguments
    ) throws(UsageError) -> TransferOptions {
        var options = TransferOptions()
        if let text = arguments.value(of: checksum) {
            guard arguments.operands.count == 1 else {
                throw arguments.error("--checksum is of one file; there are several URLs.")
            }
            options.expectedDigests = [try arguments.digest(text, of: checksum)]
        }
        let mirrors = arguments.values(of: mirror)
        guard mirrors.isEmpty || arguments.operands.count == 1 else {
            throw arguments.error("--mirror is of one file; there are several URLs.")
        }
        options.mirrors = try mirrors.map { text throws(UsageError) in
            try arguments.webAddress(text)
        }
        options.maximumConnectionsPerDownload = try arguments.integer(of: connections, in: 1...16)
        if let text = arguments.value(of: limitRate) {
            options.maximumReceiveRate = try arguments.rate(text)
        }
        options.connectTimeout = try arguments.value(of: connectTimeout)
            .map { text throws(UsageError) in try arguments.duration(text, of: connectTimeout) }
        options.keepsMachineAwake = arguments.has(keepAwake)
        if arguments.has(unmeteredOnly) {
            options.avoidedConditions.formUnion([.expensiveNetwork, .cellularNetwork])
        }
        if arguments.has(whenIdle) { options.avoidedConditions.formUnion(.discretionary) }
        var retry = TransferOptions.Retry()
        retry.statuses = retriedStatuses
        if let text = arguments.value(of: retries) {
            retry.maximumAttempts = try arguments.count(text, of: retries)
        } else if !arguments.has(detach) {
            retry.maximumUnansweredAttempts = unansweredAttempts
        }
        options.retry = retry
        options.holdsExpiredLinks = true
        return options
    }

    private static func field(
        _ text: String,
        _ arguments: Arguments
    ) throws(UsageError) -> (name: String, value: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0]
        // RFC 9110 §5.6.2 and §5.5: a token, and text without line breaks.
        let isToken =
            !name.isEmpty
            && name.allSatisfy {
                $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0))
            }
        guard parts.count == 2, isToken, !parts[1].contains(where: \.isNewline) else {
            throw arguments.error(
                "--header needs 'NAME: VALUE', with a colon after a name without spaces."
            )
        }
        return (String(name), parts[1].trimmingCharacters(in: .whitespaces))
    }
}
