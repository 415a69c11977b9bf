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
    /// The option that names another source.
    static let mirror = OptionSyntax(
        "mirror",
        value: "URL",
        help: "load parts from here as well (only with one URL)"
    )
    private static let connections = OptionSyntax(
        "connections",
        value: "N",
        help: "load each file by up to N connections, 1 to 16 (default: 4)"
    )

    private static let data = OptionSyntax(
        "data",
        value: "DATA",
        help: "send this by POST, as forms are sent; '@FILE' is the content of a file"
    )
    private static let overwrite = OptionSyntax(
        "overwrite",
        help: "replace a file that has the name already"
    )
    private static let skipExisting = OptionSyntax(
        "skip-existing",
        help: "leave out a file whose name is there already"
    )
    private static let newer = OptionSyntax(
        "newer",
        letter: "N",
        help:
            "replace a file that is there only by a newer one of the server; implies --remote-time"
    )
    private static let remoteTime = OptionSyntax(
        "remote-time",
        letter: "R",
        help: "give the file the time at which the server's was last changed"
    )

    /// The options of one download, in a command line or in a list.
    static let options =
        [output, directory, overwrite, skipExisting, newer, remoteTime] + RequestFields.options
        + [data, checksum, mirror, connections]
        + TransferChoice.options
    /// The options that say something of a file.
    static let ofFiles = [
        directory, overwrite, skipExisting, newer, remoteTime, checksum, mirror, connections,
    ]
    /// The names here of options that aria2 names otherwise in its lists.
    static let namesOfAria2 = [
        "out": "output", "dir": "directory", "max-tries": "retries", "split": "connections",
        "max-connection-per-server": "connections", "max-download-limit": "limit-rate",
    ]
    /// The options of which each value counts, rather than the last one.
    static let repeated = RequestFields.repeated.union([mirror])

    /// How ferryd carries a download out.
    private(set) var transfer: TransferOptions
    /// The directory in which it is saved.
    let directory: AbsolutePath
    /// The path from there that the user chose, in which `#1` stands for a range; nil to take the server's proposal.
    var output: String?
    /// What becomes of a file that is there already.
    let precedence: Precedence
    /// Whether the file gets the time at which the server's was last changed.
    let keepsTime: Bool
    private let fields: RequestFields
    private let data: Data?

    /// What becomes of a file that has the name of a download already.
    enum Precedence: Hashable, Sendable {
        /// Both are kept, the new one under another name.
        case both
        /// It is replaced.
        case new
        /// It stays, and nothing is downloaded.
        case old
        /// It is replaced if the server's is newer.
        case newer
    }

    /// Reads options.
    ///
    /// - Parameters:
    ///   - arguments: The options.
    ///   - isDetached: Whether nobody waits for the downloads.
    /// - Throws: ``UsageError`` when one is invalid.
    init(_ arguments: Arguments, isDetached: Bool) throws(UsageError) {
        transfer = try Self.transferOptions(arguments, isDetached: isDetached)
        directory = try arguments.place(arguments.value(of: Self.directory) ?? ".")
        output = arguments.value(of: Self.output)
        precedence = try Self.precedence(arguments)
        keepsTime = arguments.has(Self.remoteTime) || precedence == .newer
        fields = try RequestFields(arguments)
        data = try Self.body(arguments)
    }

    /// Refuses options of one file, as they are given for several.
    static func requireSeveral(_ arguments: Arguments) throws(UsageError) {
        if let path = arguments.value(of: output), !path.contains("#") {
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

    /// Returns the request for a URL.
    func request(for url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        if let data {
            request.httpMethod = "POST"
            request.httpBody = data
        }
        fields.apply(to: &request)
        if data != nil, request.value(forHTTPHeaderField: "Content-Type") == nil {
            let type = "application/x-www-form-urlencoded"
            request.setValue(type, forHTTPHeaderField: "Content-Type")
        }
        return request
    }

    private static func body(_ arguments: Arguments) throws(UsageError) -> Data? {
        guard let text = arguments.value(of: data) else { return nil }
        guard text.hasPrefix("@") else { return Data(text.utf8) }
        return Data(try arguments.content(of: String(text.dropFirst()), for: data, limit: 1 << 20))
    }

    private static func precedence(_ arguments: Arguments) throws(UsageError) -> Precedence {
        let given = [overwrite, skipExisting, newer].filter(arguments.has)
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
        isDetached: Bool
    ) throws(UsageError) -> TransferOptions {
        let choice = try TransferChoice(arguments, isDetached: isDetached)
        var options = choice.options
        options.maximumReceiveRate = choice.maximumRate
        options.holdsExpiredLinks = true
        options.maximumConnectionsPerDownload = try arguments.integer(of: connections, in: 1...16)
        options.expectedDigests =
            try arguments.value(of: checksum)
            .map { text throws(UsageError) in [try arguments.digest(text, of: checksum)] } ?? []
        options.mirrors = try arguments.values(of: mirror).map { text throws(UsageError) in
            try arguments.webAddress(text)
        }
        return options
    }
}
