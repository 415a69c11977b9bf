import Ferry
import FerrySystem
import Foundation
@preconcurrency import Glibc

/// A download, as a command line or a line of a list asks for it.
struct RequestedDownload: Sendable {
    /// The request.
    let request: URLRequest
    /// How ferryd carries it out.
    let options: TransferOptions
    /// The absolute path of the file's directory.
    let directory: String
    /// The name the user chose; nil to take the server's proposal.
    private(set) var name: String?
    /// The name the user chose, or else the one that the URL ends in.
    let likelyName: String
    /// What becomes of a file that is there already.
    private(set) var precedence: Destination.Precedence
    /// Whether the file gets the time at which the server's was last changed.
    let keepsTime: Bool
    /// Whether the file gets its URL and its media type as extended attributes.
    let keepsOrigin: Bool
    /// Whether the file is named after the URL that redirects led to.
    let followsName: Bool
    /// Whether the content of an error is saved.
    let keepsErrors: Bool

    /// A download of a URL.
    ///
    /// - Parameters:
    ///   - match: The URL.
    ///   - options: Its options.
    ///   - digests: The digests of files by their names; nil if there is no list of them.
    ///   - arguments: The command line, for errors.
    /// - Throws: ``UsageError`` when the URL or the name of its file is invalid, or the list has no digest of it.
    init(
        _ match: AddressPattern.Match,
        _ options: DownloadOptions,
        _ digests: DigestList? = nil,
        _ arguments: Arguments
    ) throws(UsageError) {
        let url = try arguments.webAddress(match.address)
        try options.choice.check(url, arguments)
        let base =
            options.usesDirectories
            ? Self.directory(of: url, in: options.directory) : options.directory
        let file = try options.output.map { pattern throws(UsageError) in
            try Self.file(match.name(pattern), in: base, arguments)
        }
        name = file?.name
        let proposed = FileName(contentDisposition: nil, address: url.absoluteString).text
        likelyName = file?.name ?? proposed
        directory = file?.directory ?? base.text
        precedence = options.precedence
        keepsTime = options.keepsTime
        keepsOrigin = options.keepsOrigin
        followsName = options.followsName
        keepsErrors = options.keepsErrors
        var request = options.request(for: url)
        if precedence == .newer, let time = Self.time(of: "\(directory)/\(likelyName)") {
            request.setValue(time.httpText, forHTTPHeaderField: "If-Modified-Since")
        }
        self.request = request
        var transfer = options.transfer
        transfer.cookies = options.cookies(for: url)
        if let digests {
            let path = url.path(percentEncoded: false)
            guard let digest = digests.digest(of: path) ?? digests.digest(of: likelyName) else {
                throw arguments.error("the list of checksums has none of '\(proposed)'.")
            }
            transfer.expectedDigests.append(digest)
        }
        // The home's file system may be too small for the file.
        transfer.destinationDirectory = URL(filePath: directory, directoryHint: .isDirectory)
        self.options = transfer
    }

    /// Whether there is a file already that takes precedence.
    var isLeftOut: Bool { precedence == .old && Self.time(of: likelyPath) != nil }

    /// The URL as ferryd remembers it of transfers that have ended; nil if it remembers only a part of it.
    var rememberedAddress: String? {
        guard let url = request.url, url.user() == nil, url.query() == nil, url.fragment() == nil
        else { return nil }
        return url.absoluteString
    }

    /// The path of the file that the server's has to be newer than; nil if there is none.
    var olderPath: String? {
        request.value(forHTTPHeaderField: "If-Modified-Since") == nil ? nil : likelyPath
    }

    /// The absolute path of the file, as far as it is known before the server has answered.
    var likelyPath: String { "\(directory)/\(likelyName)" }

    /// Returns the same download with its likely name, in place of the file that has it.
    func replacing() -> Self {
        var download = self
        download.name = likelyName
        download.precedence = .new
        return download
    }

    /// Returns the directory that has the names of a URL's host and directories, as far as those can be names here.
    private static func directory(of url: URL, in base: AbsolutePath) -> AbsolutePath {
        let names = [url.host() ?? ""] + url.deletingLastPathComponent().pathComponents
        let parts = names.filter { $0 != "/" }.compactMap { FileName(proposal: $0)?.text }
        return AbsolutePath(parts.joined(separator: "/"), in: base.text)
    }

    /// Returns when a file was last changed; nil if there is none.
    private static func time(of path: String) -> Date? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec))
    }

    private static func file(
        _ path: String,
        in directory: AbsolutePath,
        _ arguments: Arguments
    ) throws(UsageError) -> AbsolutePath {
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
}
