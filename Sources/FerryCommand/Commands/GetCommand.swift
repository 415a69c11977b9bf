import Ferry
import Foundation
@preconcurrency import Glibc

/// `ferry get`: downloads files in the background and shows their progress.
struct GetCommand: Command {
    private static let inputFile = OptionSyntax(
        "input-file",
        letter: "i",
        value: "FILE",
        help: "download the URLs in this list, too; '-' is standard input"
    )
    private static let metalink = OptionSyntax(
        "metalink",
        letter: "M",
        value: "FILE",
        help: "download what this Metalink file or URL describes, from all mirrors that it names"
    )
    private static let checksums = OptionSyntax(
        "checksums",
        value: "FILE",
        help:
            "save each file only with the digest that this file or URL has for it, such as SHA256SUMS"
    )
    private static let head = OptionSyntax(
        "head",
        letter: "I",
        help: "show the header of the response alone, and download nothing"
    )
    private static let noPatterns = OptionSyntax(
        "globoff",
        letter: "g",
        help: "take brackets and braces in a URL as they are"
    )

    static let syntax = CommandSyntax(
        name: "get",
        summary: "download files, also when this command ends before they are complete",
        discussion: [
            "Ctrl-C leaves the transfers running; 'ferry watch ID' comes back to them. Finished files "
                + "are saved with or without a ferry command running, each when it is complete.",
            TransferChoice.discussion,
            "A file never replaces another unless --overwrite or --newer says so: when NAME is taken it becomes NAME.1, "
                + "NAME.2 and so on. What is replaced is there until the new file is complete. "
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
            "'--output -' writes the bytes to standard output in order and as they come; a pipe or a device as PATH gets them, "
                + "too. This command loads them itself, and they end with it. A broken connection is continued where it broke.",
            ConnectionChoice.discussion,
            NewTransfers.discussion,
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
                "ferry get -o - https://example.org/backup.tar.zst | tar -x --zstd",
                "Unpack an archive while it comes:"
            ),
            .init(
                "ferry get -o 'page-#1.png' 'https://example.org/scan/[001-120]/page.png'",
                "Download numbered files under names of their own:"
            ),
        ],
        groups: NewTransfers.groups(
            files: [inputFile, metalink] + DownloadOptions.ofPlace + [checksums, noPatterns, head],
            requests: DownloadOptions.ofRequests,
            speed: DownloadOptions.ofSpeed
        ),
        operands: .any("URL"),
        command: Self.self
    )

    /// The maximum number of files that were downloaded before and are told of.
    private static let greatestToldCount = 5

    private let arguments: Arguments
    private let transfers: NewTransfers

    init(_ arguments: Arguments) throws(UsageError) {
        self.arguments = arguments
        transfers = try NewTransfers(arguments)
        guard arguments.operands.isEmpty, !hasLists else { return }
        throw arguments.error("URL... is missing.")
    }

    func run(in context: Context) async throws -> ExitCode {
        if let code = try await stream(in: context) { return code }
        if arguments.has(Self.head) {
            return try await transfers.showHeaders(of: downloads(in: context), in: context)
        }
        let wanted = missing(of: try await downloads(in: context), in: context.console)
        let downloads = try await continued(wanted, in: context)
        if downloads.isEmpty { return .success }
        await tellOfEarlier(downloads, in: context)
        var places = Destinations(
            at: context.now(),
            command: try await transfers.command(in: context)
        )
        let destinations = try places.all(of: downloads)
        return try await transfers.run("get", in: context) { session in
            try start(downloads, destinations, in: session)
        }
    }

    /// Returns what the operands and the lists ask for, in their order.
    private func downloads(in context: Context) async throws -> [RequestedDownload] {
        let source = try source(try await digests(in: context))
        var downloads = try source.typed(hasLists: hasLists)
        for list in arguments.values(of: Self.inputFile) {
            downloads += try source.listed(list, in: context)
        }
        for file in arguments.values(of: Self.metalink) {
            let limit = MetalinkFile.greatestByteCount
            let content = try await content(of: file, for: Self.metalink, limit, in: context)
            downloads += try source.described(content, by: file)
        }
        return downloads
    }

    private var hasLists: Bool { arguments.has(Self.inputFile) || arguments.has(Self.metalink) }

    /// Reads a file, or loads it from its URL.
    private func content(
        of source: String,
        for option: OptionSyntax,
        _ limit: Int,
        in context: Context
    ) async throws -> [UInt8] {
        source.contains("://")
            ? try await transfers.content(
                of: arguments.webAddress(source),
                limit: limit,
                in: context
            )
            : try arguments.content(of: source, for: option, limit: limit)
    }

    private func source(_ digests: DigestList?) throws -> DownloadSource {
        try DownloadSource(
            arguments,
            isDetached: transfers.isDetached,
            hasPatterns: !arguments.has(Self.noPatterns),
            digests: digests
        )
    }

    /// Downloads what is not saved, but written to standard output, a pipe or a device; nil for files.
    private func stream(in context: Context) async throws -> ExitCode? {
        guard let path = arguments.value(of: DownloadOptions.output),
            StreamOutput.isMeant(by: path)
        else { return nil }
        for option in [Self.inputFile, Self.metalink, Self.checksums] + DownloadOptions.ofFiles
        where arguments.has(option) {
            throw arguments.error("--\(option.name) is of a file, and '\(path)' is none.")
        }
        guard arguments.operands.count == 1, !transfers.isDetached, !transfers.isJSON else {
            throw arguments.error(
                "'--output \(path)' is for one URL, and without --detach and --json."
            )
        }
        let download = try source(nil).streamed()
        return try await transfers.stream(download, to: try StreamOutput(path: path), in: context)
    }

    private func digests(in context: Context) async throws -> DigestList? {
        guard let source = arguments.value(of: Self.checksums) else { return nil }
        let limit = DigestList.greatestByteCount
        let content = try await content(of: source, for: Self.checksums, limit, in: context)
        let list = DigestList(content)
        if list.isEmpty { throw arguments.error("'\(source)' has no checksums in it.") }
        return list
    }

    /// Tells a person of files that were downloaded before, and are still where they were saved.
    private func tellOfEarlier(_ downloads: [RequestedDownload], in context: Context) async {
        let addresses = Set(downloads.compactMap(\.rememberedAddress))
        let query = TransferDaemon.EndedQuery(application: CommandSession.application)
        guard !addresses.isEmpty, context.console.errorSize() != nil, !transfers.isQuiet,
            !transfers.isJSON,
            let ended = try? await context.daemon.endedTransfers(matching: query, limit: 1000)
        else { return }
        var told: Set<String> = []
        for transfer in ended where addresses.contains(transfer.address) {
            guard case .saved(let path, _) = transfer.outcome, access(path, F_OK) == 0,
                told.insert(transfer.address).inserted, told.count <= Self.greatestToldCount
            else { continue }
            let time = transfer.ended.text(now: context.now())
            context.console.errorLine("ferry: it was downloaded before, at \(time): \(path)")
        }
    }

    /// Returns what is to be downloaded, without what is there already and is to stay.
    private func missing(
        of downloads: [RequestedDownload],
        in console: Console
    ) -> [RequestedDownload] {
        let missing = downloads.filter { !$0.isLeftOut }
        let count = downloads.count - missing.count
        guard count > 0, !transfers.isQuiet else { return missing }
        let subject =
            downloads.count == 1
            ? "\(downloads[0].likelyName) is" : "\(count) of \(downloads.count) files are"
        console.errorLine("ferry: \(subject) there already")
        return missing
    }

    /// Returns the downloads, of which some continue what other programs have loaded.
    private func continued(
        _ downloads: [RequestedDownload],
        in context: Context
    ) async throws -> [RequestedDownload] {
        guard arguments.has(DownloadOptions.continuing) else { return downloads }
        let continued = ContinuedDownloads(transfers, in: context)
        var all: [RequestedDownload] = []
        for download in downloads { all.append(try await continued.prepare(download)) }
        return all
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
            var row = TransferRow(
                id: id,
                name: download.likelyName,
                url: request.url?.shown ?? "-",
                isToBegin: true
            )
            row.isInsecure = download.options.acceptsInvalidCertificates
            return row
        }
    }
}
