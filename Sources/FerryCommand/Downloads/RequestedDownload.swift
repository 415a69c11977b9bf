import Ferry
import FerrySystem
import Foundation

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

    /// The options of one download, in a command line or in a list.
    static let options =
        [output, directory] + RequestFields.options + [checksum, mirror, connections]
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
        var request = URLRequest(url: try arguments.webAddress(match.address))
        try RequestFields(arguments).apply(to: &request)
        self.request = request
        let directory = try arguments.place(arguments.value(of: Self.directory) ?? ".")
        let file = try Self.outputFile(match, in: directory, arguments)
        name = file?.name
        self.directory = file?.directory ?? directory.text
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
