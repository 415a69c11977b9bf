import Ferry
import FerrySystem
import Foundation
@preconcurrency import Glibc

/// The options of downloads, in a command line or in a line of a list.
struct DownloadOptions: Sendable {
    /// The option that names the file.
    static let output = OptionSyntax(
        "output",
        letter: "o",
        value: "PATH",
        help:
            "save the file under this name; '#1' in it is what the URL's first range or set stands for"
    )
    private static let directory = OptionSyntax(
        "directory",
        letter: "d",
        value: "DIR",
        help: "save the files in this directory (default: the current one)"
    )
    private static let checksum = OptionSyntax(
        "checksum",
        value: "NAME=DIGITS",
        help: "save the file only with this digest, such as sha-256=9f86… (only with one URL)"
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
    private static let minimumSpeed = OptionSyntax(
        "min-speed",
        value: "RATE",
        help: "try again when fewer bytes per second arrive over a connection during --timeout"
    )
    private static let maximumSize = OptionSyntax(
        "max-filesize",
        value: "SIZE",
        help: "give up a file that is longer than this, such as 500k or 2GiB"
    )
    private static let attributes = OptionSyntax(
        "xattr",
        help: "store the URL and the media type with the file, as extended attributes"
    )
    private static let contentOnError = OptionSyntax(
        "content-on-error",
        help:
            "save what comes with a status of 400 or more, too; the transfer has failed all the same"
    )
    private static let trustServerNames = OptionSyntax(
        "trust-server-names",
        help: "name the file after the URL that redirects led to"
    )
    private static let forceDirectories = OptionSyntax(
        "force-directories",
        help:
            "save the file in a directory named after the host, and in those of the URL's path"
    )
    private static let overwrite = OptionSyntax(
        "overwrite",
        help: "replace a file that has the name, unless it was changed after this command began"
    )
    private static let skipExisting = OptionSyntax(
        "skip-existing",
        help: "leave out a file whose name is there, or is when the file is complete"
    )
    private static let newer = OptionSyntax(
        "newer",
        letter: "N",
        help:
            "replace a file that is there only by a newer one of the server; implies --remote-time"
    )
    /// The option that continues the files of other programs.
    static let continuing = OptionSyntax(
        "continue",
        letter: "c",
        help:
            "continue what curl, wget, aria2 or a browser has loaded of the file; the whole takes its place"
    )
    private static let remoteTime = OptionSyntax(
        "remote-time",
        letter: "R",
        help: "give the file the time at which the server's was last changed"
    )

    /// The options of one download, in a command line or in a list.
    static let options = ofPlace + ofRequests + ofSpeed + TransferChoice.options
    /// The options about a file and its place.
    static let ofPlace = [
        output, directory, continuing, overwrite, skipExisting, newer, remoteTime, attributes,
        forceDirectories, trustServerNames, contentOnError, checksum, mirror, maximumSize,
    ]
    /// The options about requests.
    static let ofRequests = RequestFields.options + RequestBody.options
    /// The options about speed.
    static let ofSpeed = [connections, minimumSpeed]
    /// The options of a line of a list: it has no say in which of the user's files are read, sent or replaced.
    static let ofLists = options.filter { option in
        ![continuing, overwrite, skipExisting, newer].contains(option)
            && !RequestBody.ofFiles.contains(option)
            && !RequestFields.ofFiles.contains(option)
    }
    /// The options that say something of a file.
    static let ofFiles = [
        directory, continuing, overwrite, skipExisting, newer, remoteTime, attributes,
        forceDirectories, trustServerNames, contentOnError, checksum,
        mirror, connections, maximumSize,
    ]
    /// The names here of options that aria2 names otherwise in its lists.
    static let namesOfAria2 = [
        "out": "output", "dir": "directory", "max-tries": "retries", "split": "connections",
        "max-connection-per-server": "connections", "max-download-limit": "limit-rate",
        "retry-wait": "retry-delay", "lowest-speed-limit": "min-speed",
    ]
    /// The options of which each value counts, rather than the last one.
    static let repeated = RequestFields.repeated.union(TransferChoice.repeated)
        .union(RequestBody.repeated).union([mirror])

    /// How ferryd carries a download out.
    private(set) var transfer: TransferOptions
    /// The directory in which it is saved.
    let directory: AbsolutePath
    /// The path from there that the user chose, in which `#1` stands for a range; nil to take the server's proposal.
    var output: String?
    /// What becomes of a file that is there already.
    let precedence: Destination.Precedence
    /// Whether the file gets the time at which the server's was last changed.
    let keepsTime: Bool
    /// Whether the file gets its URL and its media type as extended attributes.
    let keepsOrigin: Bool
    /// Whether the file is named after the URL that redirects led to.
    let followsName: Bool
    /// Whether the content of an error is saved.
    let keepsErrors: Bool
    /// Whether the directories are those of the URL.
    let usesDirectories: Bool
    /// What the options say of transfers.
    let choice: TransferChoice
    private let fields: RequestFields
    private let body: RequestBody

    /// Reads options.
    ///
    /// - Parameters:
    ///   - arguments: The options.
    ///   - isDetached: Whether nobody waits for the downloads.
    ///   - common: The options whose files were read, and count for these, too; nil to read them.
    /// - Throws: ``UsageError`` when one is invalid.
    init(
        _ arguments: Arguments,
        isDetached: Bool,
        sharing common: DownloadOptions? = nil
    ) throws(UsageError) {
        choice = try TransferChoice(arguments, isDetached: isDetached)
        transfer = try Self.transferOptions(arguments, choice)
        directory = try arguments.place(arguments.value(of: Self.directory) ?? ".")
        output = arguments.value(of: Self.output)
        precedence = try Self.precedence(arguments)
        keepsTime = arguments.has(Self.remoteTime) || precedence == .newer
        keepsOrigin = arguments.has(Self.attributes)
        followsName = arguments.has(Self.trustServerNames)
        keepsErrors = arguments.has(Self.contentOnError)
        usesDirectories = arguments.has(Self.forceDirectories)
        fields = try RequestFields(arguments, sharing: common?.fields)
        body = try RequestBody(arguments, sharing: common?.body)
        let isRepeatable = body.content == nil && !["POST", "PATCH"].contains(fields.method)
        // Nobody knows what a server has done of a request that got no answer.
        if !isRepeatable, !arguments.has(TransferChoice.retries) {
            transfer.retry?.maximumAttempts = 1
        }
    }

    /// Refuses options of one file, as they are given for several.
    static func requireSeveral(_ arguments: Arguments, hasLists: Bool) throws(UsageError) {
        if let path = arguments.value(of: output), hasLists || !path.contains("#") {
            throw arguments.error(
                "--output names one file; use --directory for several URLs, or '#1' for what a range stands for."
            )
        }
        for option in [checksum, mirror] where arguments.has(option) {
            throw arguments.error("--\(option.name) is of one file; there are several URLs.")
        }
    }

    /// Adds other sources of the file.
    mutating func add(mirrors: [URL]) { transfer.mirrors += mirrors }

    /// Returns the cookies of a file that a URL's transfer may need.
    func cookies(for url: URL) -> [HTTPCookie] { fields.cookies(for: body.url(url)) }

    /// Returns the request for a URL.
    func request(for url: URL) -> URLRequest {
        var request = URLRequest(url: body.url(url))
        if let content = body.content {
            request.httpMethod = "POST"
            request.httpBody = content
        }
        fields.apply(to: &request)
        choice.apply(to: &request)
        if body.content != nil, request.value(forHTTPHeaderField: "Content-Type") == nil {
            request.setValue(body.mediaType, forHTTPHeaderField: "Content-Type")
        }
        return request
    }

    private static func precedence(
        _ arguments: Arguments
    ) throws(UsageError) -> Destination.Precedence {
        let given = [continuing, overwrite, skipExisting, newer].filter(arguments.has)
        guard given.count < 2 else {
            let names = given.map { "--\($0.name)" }.joined(separator: " and ")
            throw arguments.error("\(names) exclude each other.")
        }
        return switch given.first {
        case overwrite: .new
        case skipExisting: .old
        case newer: .newer
        default: .both
        }
    }

    private static func transferOptions(
        _ arguments: Arguments,
        _ choice: TransferChoice
    ) throws(UsageError) -> TransferOptions {
        var options = choice.options
        options.maximumReceiveRate = choice.maximumRate
        options.minimumReceiveRate = try arguments.value(of: minimumSpeed)
            .flatMap { text throws(UsageError) in try arguments.rate(text) }
        if let least = options.minimumReceiveRate, let most = choice.maximumRate, least >= most {
            throw arguments.error("--min-speed is below --limit-rate.")
        }
        options.maximumFileSize = try arguments.value(of: maximumSize)
            .map { text throws(UsageError) in try arguments.size(text, of: maximumSize) }
        options.holdsExpiredLinks = true
        options.maximumConnectionsPerDownload = try arguments.integer(of: connections, in: 1...16)
        options.expectedDigests =
            try arguments.value(of: checksum)
            .map { text throws(UsageError) in [try arguments.digest(text, of: checksum)] } ?? []
        options.mirrors = try arguments.values(of: mirror).map { text throws(UsageError) in
            let url = try arguments.webAddress(text)
            try choice.check(url, arguments)
            return url
        }
        return options
    }
}
