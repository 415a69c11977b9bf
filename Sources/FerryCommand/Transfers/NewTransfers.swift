import Ferry
import Foundation

/// The transfers that a command starts in a session of its own, and follows unless it is not to wait.
struct NewTransfers {
    private static let perHost = OptionSyntax(
        "per-host",
        value: "N",
        help: "transfer at most N files with a server at a time (default: as ferry.conf says)"
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

    /// The options of a command that starts transfers.
    static let options =
        [perHost, giveUpAfter] + ConnectionChoice.options + [detach, .json, quiet]

    /// Whether nobody waits for them.
    let isDetached: Bool
    /// Whether standard output has JSON.
    var isJSON: Bool { style == .json }
    /// Whether only what goes wrong is told.
    var isQuiet: Bool { style == .quiet }
    private let style: TransferDisplay.Style
    private let sessionOptions: SessionOptions
    private let connections: ConnectionChoice

    /// Reads a command's options.
    ///
    /// - Parameter arguments: The options.
    /// - Throws: ``UsageError`` when one is invalid.
    init(_ arguments: Arguments) throws(UsageError) {
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
    }

    /// Starts transfers, and follows them until they are over or the user leaves.
    ///
    /// - Parameters:
    ///   - kind: The word that the session's identifier begins with.
    ///   - context: The world outside.
    ///   - start: Starts them in the session, and returns their rows.
    /// - Returns: The exit code.
    /// - Throws: The error that ends the command.
    func run(
        _ kind: String,
        in context: Context,
        start: (OpenSession) throws -> [TransferRow]
    ) async throws -> ExitCode {
        try connections.check()
        // A clear error now rather than transfers that fail one by one.
        _ = try await context.daemon.page(limit: 1)
        let mailbox = TransferFollower.Mailbox()
        let session = open("\(kind)-\(UUID().uuidString.lowercased())", in: context, mailbox)
        var follower = TransferFollower(
            TransferWatch(
                try start(session),
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

    /// Downloads a file in this process, to standard output, a pipe or a device.
    ///
    /// - Parameters:
    ///   - download: What is to be downloaded.
    ///   - output: Where its bytes go.
    ///   - context: The world outside.
    /// - Returns: The exit code.
    /// - Throws: The error of a certificate that cannot be used.
    func stream(
        _ download: RequestedDownload,
        to output: StreamOutput,
        in context: Context
    ) async throws -> ExitCode {
        try connections.check()
        let configuration = URLSessionConfiguration.ephemeral
        connections.apply(to: configuration, in: context.environment)
        return await StreamedDownload(download, timeLimit: sessionOptions.timeLimit)
            .run(to: output, configuration, style, in: context)
    }

    /// Loads a short file in this process, with the connections that the transfers have.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - limit: The maximum number of bytes.
    ///   - context: The world outside.
    /// - Returns: The file's content.
    /// - Throws: The error of a file that cannot be loaded, or is too long.
    func content(of url: URL, limit: Int, in context: Context) async throws -> [UInt8] {
        try connections.check()
        let configuration = URLSessionConfiguration.ephemeral
        connections.apply(to: configuration, in: context.environment)
        let session = URLSession(configuration: configuration)
        defer { session.invalidateAndCancel() }
        do {
            let (bytes, response) = try await session.bytes(from: url)
            let reason = (response as? HTTPURLResponse).flatMap(Outcome.Reason.init(response:))
            if let reason { throw UnusableFile(address: url.shown, reason: reason.message) }
            var content: [UInt8] = []
            for try await byte in bytes {
                content.append(byte)
                guard content.count <= limit else {
                    let reason = "it is longer than \(limit >> 20) MiB"
                    throw UnusableFile(address: url.shown, reason: reason)
                }
            }
            return content
        } catch let error as URLError {
            throw UnusableFile(address: url.shown, reason: Outcome.Reason(error).message)
        }
    }

    private func open(
        _ identifier: String,
        in context: Context,
        _ mailbox: TransferFollower.Mailbox
    ) -> OpenSession {
        var taker = FileTaker(environment: context.environment)
        taker.whenWaiting = { id, _, obstacle in mailbox.send(.held(id, .init(obstacle))) }
        var options = sessionOptions
        options.connections = connections
        options.environment = context.environment
        return context.openSession(identifier, options, taker) { id, _, outcome in
            mailbox.send(.ended(id, outcome))
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
            application: CommandSession.application,
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
        } else if isDetached {
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

/// A file that is needed for the transfers, and cannot be loaded.
private struct UnusableFile: Error, CustomStringConvertible {
    /// The URL, without what may be secret.
    let address: String
    /// The reason.
    let reason: String

    var description: String { "'\(address)' cannot be loaded: \(reason)" }
}
