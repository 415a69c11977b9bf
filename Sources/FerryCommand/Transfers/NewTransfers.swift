import Ferry
import Foundation

/// The transfers that a command starts in a session of its own, and follows unless it is not to wait.
struct NewTransfers {
    private static let perHost = OptionSyntax(
        "per-host",
        value: "N",
        help: "transfer at most N files with a server at a time (default: as ferry.conf says)"
    )
    private static let parallel = OptionSyntax(
        "parallel",
        letter: "j",
        value: "N",
        help: "transfer at most N files at a time (default: as ferry.conf says)"
    )
    private static let giveUpAfter = OptionSyntax(
        "give-up-after",
        value: "TIME",
        help: "give up a file that is not complete after 90s, 30m, 12h, 3d … (default: 7d)"
    )
    private static let exec = OptionSyntax(
        "exec",
        value: "COMMAND",
        help: "run this by the shell after each file, in its directory"
    )
    private static let failEarly = OptionSyntax(
        "fail-early",
        help: "cancel the other files as soon as one has failed"
    )
    private static let pause = OptionSyntax(
        "pause",
        help: "begin nothing until 'ferry resume'; implies --detach"
    )
    private static let detach = OptionSyntax(
        "detach",
        help: "do not wait; show the transfers' IDs"
    )
    private static let cookieJar = OptionSyntax(
        "cookie-jar",
        value: "FILE",
        help: "add the cookies that servers set to this file, for --cookie"
    )
    private static let verbose = OptionSyntax(
        "verbose",
        letter: "v",
        help: "show what was said with the server, when a file has ended; without secrets"
    )
    private static let quiet = OptionSyntax("quiet", letter: "q", help: "show only what goes wrong")

    /// The options of a command that starts transfers.
    ///
    /// - Parameters:
    ///   - files: The command's own options about files.
    ///   - requests: Its options about requests.
    ///   - speed: Its own options about speed.
    /// - Returns: All options of the command.
    static func groups(
        files: [OptionSyntax],
        requests: [OptionSyntax],
        speed: [OptionSyntax] = []
    ) -> [OptionGroup] {
        [
            OptionGroup("Files", files),
            OptionGroup("Requests", requests + [cookieJar]),
            OptionGroup(
                "Speed and failures",
                [parallel, perHost] + speed + TransferChoice.ofAttempts + [giveUpAfter]
            ),
            OptionGroup("Connections", TransferChoice.ofSecurity + ConnectionChoice.options),
            OptionGroup(
                "Conditions and output",
                TransferChoice.ofConditions
                    + [exec, failEarly, pause, detach, .json, verbose, quiet]
            ),
        ]
    }
    /// The paragraph of a command's help about what runs afterwards.
    static let discussion =
        "--exec runs a command after each file, also when this command has ended; without it, the one that 'exec-after' in "
        + "ferry.conf names. It has the variables "
        + EndCommand.variables.map { "\($0.name) (\($0.meaning))" }.joined(separator: ", ")
        + ". It is not waited for, and may run again after a crash."

    /// Whether nobody waits for them.
    let isDetached: Bool
    /// Whether standard output has JSON.
    var isJSON: Bool { style == .json }
    /// Whether only what goes wrong is told.
    var isQuiet: Bool { style == .quiet }
    private let ownCommand: EndCommand?
    private let isPaused: Bool
    private let failsEarly: Bool
    private let isVerbose: Bool
    private let jar: CookieJar?
    private let style: TransferDisplay.Style
    private let sessionOptions: SessionOptions
    private let connections: ConnectionChoice
    /// What the options say of each transfer.
    let choice: TransferChoice

    /// Reads a command's options.
    ///
    /// - Parameter arguments: The options.
    /// - Throws: ``UsageError`` when one is invalid.
    init(_ arguments: Arguments) throws(UsageError) {
        isPaused = arguments.has(Self.pause)
        failsEarly = arguments.has(Self.failEarly)
        isDetached = arguments.has(Self.detach) || isPaused
        let shown = isDetached ? TransferDisplay.Style.results : .full
        style = arguments.has(.json) ? .json : arguments.has(Self.quiet) ? .quiet : shown
        sessionOptions = SessionOptions(
            timeLimit: try arguments.duration(of: Self.giveUpAfter),
            maximumTransfers: try arguments.integer(of: Self.parallel, in: 1...10_000),
            maximumConnectionsPerHost: try arguments.integer(of: Self.perHost, in: 1...1000)
        )
        isVerbose = arguments.has(Self.verbose)
        jar = try arguments.value(of: Self.cookieJar).map { path throws(UsageError) in
            CookieJar(path: try arguments.place(path).text)
        }
        guard !failsEarly || !isDetached else {
            throw arguments.error(
                "--fail-early needs this command to wait, which --detach excludes."
            )
        }
        guard jar == nil || !isDetached else {
            throw arguments.error("--cookie-jar is written by this command, and not with --detach.")
        }
        connections = try ConnectionChoice(arguments)
        ownCommand = try arguments.value(of: Self.exec).map { text throws(UsageError) in
            guard 1...EndCommand.greatestByteCount ~= text.utf8.count else {
                let limit = EndCommand.greatestByteCount
                throw arguments.error("--exec needs a command of at most \(limit) bytes.")
            }
            return EndCommand(text)
        }
        choice = try TransferChoice(arguments, isDetached: isDetached)
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
        let interrupts = await context.interrupts()
        let mailbox = TransferFollower.Mailbox()
        let session = open("\(kind)-\(UUID().uuidString.lowercased())", in: context, mailbox)
        var follower = TransferFollower(
            TransferWatch(
                try start(session),
                endsWhenNumbered: isDetached,
                endsAtFailure: failsEarly,
                isOwn: { _ in true }
            ),
            style: style,
            mailbox: mailbox,
            context: context
        )
        let code = try await follower.run(until: interrupts) {
            let numbers = try await numbers(of: session, in: context, mailbox: mailbox)
            return .own(isDetached ? [] : numbers)
        }
        let left = follower.rows.filter { !$0.isOver }
        if failsEarly, code.isFailure {
            await cancel(left, in: context)
            await session.finish()
        } else if left.isEmpty {
            await session.finish()
        } else {
            // The user has left before ferryd had stored them all.
            if left.contains(where: { $0.number == nil }) { await session.settle() }
            try await sayGoodbye(to: left, of: session, in: context)
        }
        return code
    }

    private func cancel(_ rows: [TransferRow], in context: Context) async {
        guard !rows.isEmpty else { return }
        for number in rows.compactMap(\.number) { try? await context.daemon.cancel(number) }
        let transfers = rows.count == 1 ? "1 transfer" : "\(rows.count) transfers"
        context.console.errorLine("ferry: \(transfers) cancelled")
    }

    /// Returns the command that runs after each transfer; nil for none.
    ///
    /// - Parameter context: The world outside.
    /// - Returns: The command that an option names, or else the settings.
    /// - Throws: The error of a ferryd that cannot be asked.
    func command(in context: Context) async throws -> EndCommand? {
        if let ownCommand { return ownCommand }
        let name = TransferDaemon.Settings.execAfter
        return try await context.daemon.settings().all.first { $0.name == name }?.value
            .map(EndCommand.init)
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
        return await StreamedDownload(
            download,
            timeLimit: sessionOptions.timeLimit,
            takeMetrics: metricsTaker { context.console.errorLine($0) }
        ).run(to: output, configuration, style, in: context)
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
        try await responding(to: URLRequest(url: url), in: context) { bytes, _ in
            var content: [UInt8] = []
            for try await byte in bytes {
                content.append(byte)
                guard content.count <= limit else {
                    let reason = "it is longer than \(limit >> 20) MiB"
                    throw UnusableFile(address: url.shown, reason: reason)
                }
            }
            return content
        }
    }

    /// Makes a request in this process, and ends it when its response was used.
    private func responding<Value>(
        to request: URLRequest,
        _ cookies: [HTTPCookie] = [],
        in context: Context,
        _ use: (URLSession.AsyncBytes, HTTPURLResponse) async throws -> Value
    ) async throws -> Value {
        let session = try ownSession(cookies, in: context)
        defer { session.invalidateAndCancel() }
        let address = request.url?.shown ?? ""
        do {
            let (bytes, response) = try await session.bytes(for: request)
            guard let response = response as? HTTPURLResponse else {
                throw UnusableFile(address: address, reason: "it has no response of HTTP")
            }
            if let reason = Outcome.Reason(response: response) {
                throw UnusableFile(address: address, reason: reason.message)
            }
            return try await use(bytes, response)
        } catch let error as URLError {
            throw UnusableFile(address: address, reason: Outcome.Reason(error).message)
        }
    }

    /// Shows the headers of the responses to requests without their bodies.
    ///
    /// - Parameters:
    ///   - downloads: The downloads, of which nothing is loaded.
    ///   - context: The world outside.
    /// - Returns: The exit code.
    /// - Throws: The error of a server that cannot be asked.
    func showHeaders(
        of downloads: [RequestedDownload],
        in context: Context
    ) async throws -> ExitCode {
        let session = try ownSession(downloads.flatMap(\.options.cookies), in: context)
        defer { session.invalidateAndCancel() }
        var code = ExitCode.success
        for request in downloads.map(\.request) {
            do {
                let (lines, status) = try await HeadRequest.header(for: request, in: session)
                for line in lines { context.console.line(line) }
                if let reason = Outcome.Reason(status: status) {
                    code = code.joined(with: ExitCode(reason))
                }
            } catch let error as URLError {
                let reason = Outcome.Reason(error)
                let address = request.url?.shown ?? ""
                context.console.errorLine("ferry: '\(address)' cannot be asked: \(reason.message)")
                code = code.joined(with: ExitCode(reason))
            }
        }
        return code
    }

    /// Returns a session in this process, with the connections that the transfers have.
    private func ownSession(
        _ cookies: [HTTPCookie] = [],
        in context: Context
    ) throws -> URLSession {
        try connections.check()
        let configuration = URLSessionConfiguration.ephemeral
        connections.apply(to: configuration, in: context.environment)
        configuration.transferOptions = choice.options
        for cookie in cookies { configuration.httpCookieStorage?.setCookie(cookie) }
        return URLSession(configuration: configuration)
    }

    /// Asks a server how long a file is, with the connections that the transfers have.
    ///
    /// - Parameters:
    ///   - download: The download of the file.
    ///   - context: The world outside.
    /// - Returns: The number of its bytes; nil if the server does not say.
    /// - Throws: The error of a server that cannot be asked, or refuses the request.
    func byteCount(of download: RequestedDownload, in context: Context) async throws -> Int64? {
        var request = download.request
        // Some servers take no HEAD, such as those of signed URLs.
        request.setValue("bytes=0-0", forHTTPHeaderField: "Range")
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        let cookies = download.options.cookies
        return try await responding(to: request, cookies, in: context) { _, response in
            if response.statusCode == 206 {
                let range = response.value(forHTTPHeaderField: "Content-Range") ?? ""
                return range.split(separator: "/").last.flatMap { Int64($0) }
            }
            let length = response.expectedContentLength
            return length < 0 ? nil : length
        }
    }

    /// Returns what takes the metrics of a transfer.
    ///
    /// - Parameter tell: Shows lines to a person.
    /// - Returns: The closure; nil if no option needs metrics.
    private func metricsTaker(
        _ tell: @escaping @Sendable (String) -> Void
    ) -> (@Sendable (URLSessionTaskMetrics) -> Void)? {
        guard isVerbose || jar != nil else { return nil }
        return { [isVerbose, jar] metrics in
            if isVerbose { tell(Conversation(metrics).lines.joined(separator: "\n")) }
            guard let jar else { return }
            do {
                try jar.add(metrics)
            } catch {
                tell("ferry: the cookies cannot be saved in '\(jar.path)': \(error)")
            }
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
        options.startsSuspended = isPaused
        options.environment = context.environment
        options.takeMetrics = metricsTaker { mailbox.send(.told($0)) }
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
        let query = query(for: session)
        var transfers: [TransferDaemon.Transfer] = []
        for try await transfer in context.daemon.transfers(matching: query) {
            transfers.append(transfer)
        }
        let numbers = transfers.map(\.id)
        if isPaused {
            // They are suspended so far: none begins in between.
            for number in numbers { try await context.daemon.pause(number) }
            await session.resume()
        }
        mailbox.send(.changes(.init(updated: transfers, removed: [])))
        return Set(numbers)
    }

    private func sayGoodbye(
        to rows: [TransferRow],
        of session: OpenSession,
        in context: Context
    ) async throws {
        let console = context.console
        if style == .json {
            for row in rows { console.line(try JSONLine.text(RowReport(row, event: "detached"))) }
        } else if isDetached {
            for row in rows { console.line("\(row.number.map(String.init) ?? "-")  \(row.url)") }
        } else {
            let subject = rows.count == 1 ? "The transfer goes" : "The transfers go"
            let last = try await lastNumber(of: rows, of: session, in: context)
            let command =
                last.map { "ferry watch \(rows.count == 1 ? "" : "@")\($0)" } ?? "ferry list"
            console.errorLine("\n\(subject) on in the background; come back with: \(command)")
        }
    }

    /// Returns the number of the last transfer, which is remembered the longest.
    private func lastNumber(
        of rows: [TransferRow],
        of session: OpenSession,
        in context: Context
    ) async throws -> Int? {
        if let number = rows.compactMap(\.number).max() { return number }
        // The user has left before the numbers were known.
        let query = query(for: session)
        var last: Int?
        for try await transfer in context.daemon.transfers(matching: query) { last = transfer.id }
        return last
    }

    private func query(for session: OpenSession) -> TransferDaemon.Query {
        .init(application: CommandSession.application, session: session.identifier)
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
