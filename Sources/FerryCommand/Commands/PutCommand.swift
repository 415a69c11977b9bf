import Ferry
import FerrySystem
import Foundation
@preconcurrency import Glibc

/// `ferry put`: uploads files in the background and shows their progress.
struct PutCommand: Command {
    private static let resumable = OptionSyntax(
        "resumable",
        value: "PROTOCOL",
        help: "continue an upload by this protocol: auto, draft, tus or off (default: auto)"
    )
    private static let type = OptionSyntax(
        "content-type",
        value: "TYPE",
        help: "send this as the files' media type (default: application/octet-stream)"
    )

    static let syntax = CommandSyntax(
        name: "put",
        summary: "upload files, also when this command ends before they are sent",
        discussion: [
            "Files are sent by PUT unless --request names another method. If URL ends with '/', each file's name is added to it; several files need such a URL. Ctrl-C leaves the "
                + "transfers running; 'ferry watch ID' comes back to them. Files must stay as they are until they are sent: "
                + "the upload of one that is changed or removed fails, unless it is so small that ferryd has a copy.",
            "A server that offers the IETF's draft \"Resumable Uploads for HTTP\" continues an upload where it stopped, also "
                + "after a crash or a reboot; elsewhere it starts over. With '--resumable tus', URL is where a tus server "
                + "creates uploads.",
            TransferChoice.discussion,
            ConnectionChoice.discussion,
            NewTransfers.discussion,
            "What the server answers is written to standard output. A status of 400 or more is a failure.",
        ],
        examples: [
            .init(
                "ferry put backup.tar.zst https://example.org/backups/",
                "Upload a file under its own name:"
            ),
            .init(
                "ferry put --resumable tus film.mp4 https://example.org/files/",
                "Upload to a tus server:"
            ),
            .init(
                "ferry put --when-idle --detach *.raw https://example.org/camera/",
                "Hand files to ferryd, which sends them when nobody minds:"
            ),
        ],
        groups: NewTransfers.groups(files: [resumable, type], requests: RequestFields.options),
        operands: .oneOrMore("FILE", last: "URL"),
        command: Self.self
    )

    private let transfers: NewTransfers
    private let uploads: [Upload]
    private let options: TransferOptions

    /// A file, and where it goes.
    private struct Upload {
        let file: AbsolutePath
        let request: URLRequest
    }

    init(_ arguments: Arguments) throws(UsageError) {
        transfers = try NewTransfers(arguments)
        var options = transfers.choice.options
        options.maximumSendRate = transfers.choice.maximumRate
        options.uploadProtocol = try Self.uploadProtocol(arguments)
        let fields = try RequestFields(arguments)
        let base = try arguments.webAddress(arguments.operands.last ?? "")
        options.cookies = fields.cookies(for: base)
        self.options = options
        uploads = try Self.uploads(arguments, to: base, fields, transfers.choice)
    }

    func run(in context: Context) async throws -> ExitCode {
        let sizes = try uploads.map { try UnreadableFile.check($0.file.text) }
        let command = try await transfers.command(in: context)
        return try await transfers.run("put", in: context) { session in
            try zip(uploads, sizes).compactMap { upload, size in
                let (file, request) = (upload.file, upload.request)
                guard let id = try session.upload(file.text, request, options, command) else {
                    return nil
                }
                var row = TransferRow(
                    id: id,
                    name: file.name,
                    url: request.url?.shown ?? "-",
                    isToBegin: true
                )
                row.isInsecure = options.acceptsInvalidCertificates
                row.progress(received: 0, expected: size, at: context.instant())
                return row
            }
        }
    }

    private static func uploads(
        _ arguments: Arguments,
        to base: URL,
        _ fields: RequestFields,
        _ choice: TransferChoice
    ) throws(UsageError) -> [Upload] {
        let files = arguments.operands.dropLast()
        try choice.check(base, arguments)
        let isDirectory = base.path(percentEncoded: true).isEmpty || base.hasDirectoryPath
        // A tus server names the upload itself.
        let addsName = isDirectory && arguments.value(of: resumable) != "tus"
        guard files.count == 1 || isDirectory else {
            throw arguments.error("several files need a URL that ends with '/'.")
        }
        return try files.map { path throws(UsageError) in
            guard path != "-" else {
                throw arguments.error(
                    "a file is needed, which is still there after a reboot; standard input is not."
                )
            }
            let file = try arguments.place(path)
            let url =
                addsName ? base.appending(path: file.name, directoryHint: .notDirectory) : base
            var request = URLRequest(url: url)
            request.httpMethod = "PUT"
            fields.apply(to: &request)
            choice.apply(to: &request)
            if request.value(forHTTPHeaderField: "Content-Type") == nil {
                // Without one, a POST has that of a form.
                let type = "application/octet-stream"
                request.setValue(type, forHTTPHeaderField: "Content-Type")
            }
            if let type = arguments.value(of: type) {
                guard !type.contains(where: \.isNewline) else {
                    throw arguments.error("the value of --content-type has a line break in it.")
                }
                request.setValue(type, forHTTPHeaderField: "Content-Type")
            }
            return Upload(file: file, request: request)
        }
    }

    private static func uploadProtocol(
        _ arguments: Arguments
    ) throws(UsageError) -> TransferOptions.UploadProtocol {
        switch arguments.value(of: resumable) {
        case nil, "auto": return .automatic
        case "draft": return .draft
        case "tus": return .tus
        case "off": return .off
        case let other?:
            throw arguments.error("--resumable is auto, draft, tus or off, not '\(other)'.")
        }
    }
}

/// A file that cannot be uploaded.
struct UnreadableFile: Error, CustomStringConvertible {
    /// The file.
    let path: String
    /// The problem with it.
    let reason: String

    /// A description of the file and its problem.
    var description: String { "'\(path)' cannot be uploaded: \(reason)" }

    /// Checks a file before anything is sent.
    ///
    /// - Parameter path: The file.
    /// - Returns: Its size in bytes.
    /// - Throws: The problem with the file.
    static func check(_ path: String) throws(Self) -> Int64 {
        do throws(SystemCallError) {
            let file = FileDescriptor(
                owning: try systemCall("open", path) {
                    open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
                }
            )
            let status = try file.status()
            if status.isRegularFile { return status.size }
        } catch {
            throw Self(path: path, reason: String(cString: strerror(error.errno)))
        }
        throw Self(path: path, reason: "it is not a regular file")
    }
}
