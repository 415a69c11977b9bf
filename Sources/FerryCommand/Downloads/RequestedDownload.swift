import Ferry
import FerrySystem
import Foundation
@preconcurrency import Glibc

/// A download, as a command line or a line of a list asks for it.
struct RequestedDownload: Sendable {
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
        + [checksum, mirror, connections]
        + TransferChoice.options
    /// The names here of options that aria2 names otherwise in its lists.
    static let namesOfAria2 = [
        "out": "output", "dir": "directory", "max-tries": "retries", "split": "connections",
        "max-connection-per-server": "connections", "max-download-limit": "limit-rate",
    ]
    /// The options of which each value counts, rather than the last one.
    static let repeated = RequestFields.repeated.union([mirror])

    /// The request.
    let request: URLRequest
    /// How ferryd carries it out.
    let options: TransferOptions
    /// The absolute path of the file's directory.
    let directory: String
    /// The name the user chose; nil to take the server's proposal.
    let name: String?
    /// The name the user chose, or else the one that the URL ends in.
    let likelyName: String
    /// What becomes of a file that is there already.
    let precedence: Precedence
    /// Whether the file gets the time at which the server's was last changed.
    let keepsTime: Bool

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

    /// Reads the options of a download.
    ///
    /// - Parameters:
    ///   - match: The address.
    ///   - arguments: The options.
    ///   - isDetached: Whether nobody waits for it.
    /// - Throws: ``UsageError`` when the address or an option is invalid.
    init(
        _ match: AddressPattern.Match,
        _ arguments: Arguments,
        isDetached: Bool
    ) throws(UsageError) {
        let url = try arguments.webAddress(match.address)
        precedence = try Self.precedence(arguments)
        keepsTime = arguments.has(Self.remoteTime) || precedence == .newer
        let directory = try arguments.place(arguments.value(of: Self.directory) ?? ".")
        let file = try Self.outputFile(match, in: directory, arguments)
        name = file?.name
        likelyName =
            file?.name ?? FileName(contentDisposition: nil, address: url.absoluteString).text
        self.directory = file?.directory ?? directory.text
        var request = URLRequest(url: url)
        try RequestFields(arguments).apply(to: &request)
        if precedence == .newer, let time = Self.time(of: "\(self.directory)/\(likelyName)") {
            request.setValue(time.httpText, forHTTPHeaderField: "If-Modified-Since")
        }
        self.request = request
        options = try Self.transferOptions(arguments, isDetached: isDetached)
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

    /// Whether there is a file already that takes precedence.
    var isLeftOut: Bool { precedence == .old && Self.time(of: likelyPath) != nil }

    /// The path of the file that the server's has to be newer than; nil if there is none.
    var olderPath: String? {
        request.value(forHTTPHeaderField: "If-Modified-Since") == nil ? nil : likelyPath
    }

    private var likelyPath: String { "\(directory)/\(likelyName)" }

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

    /// Returns when a file was last changed; nil if there is none.
    private static func time(of path: String) -> Date? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec))
    }

    private static func outputFile(
        _ match: AddressPattern.Match,
        in directory: AbsolutePath,
        _ arguments: Arguments
    ) throws(UsageError) -> AbsolutePath? {
        guard let path = arguments.value(of: output).map(match.name) else { return nil }
        let file = AbsolutePath(path, in: directory.text)
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
