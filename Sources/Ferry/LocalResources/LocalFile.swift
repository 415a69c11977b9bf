import FerrySystem
import Foundation
import FoundationNetworking
@preconcurrency import Glibc

/// A local file that is read by its `file:` URL, piece by piece.
///
/// Nothing is read ahead: a slow reader is not overrun. The file is closed when it is no
/// longer needed.
final class LocalFile: Sendable {
    /// The response that the app receives before the content: the type follows from the name's extension, and the
    /// length is that of the file when it was opened.
    let response: URLResponse

    private let file: UserFile
    private let url: URL

    /// Opens the file of a URL.
    ///
    /// - Parameters:
    ///   - url: An absolute URL whose scheme is `file`.
    ///   - queue: The queue on which the file is opened and read; a disk may be slow.
    /// - Returns: The file, of which nothing is read yet.
    /// - Throws: ``URLError/badURL`` for another scheme or a path that is not absolute;
    ///   ``URLError/fileDoesNotExist``, ``URLError/fileIsDirectory``,
    ///   ``URLError/noPermissionsToReadFile``; ``URLError/resourceUnavailable`` for a pipe, a device or
    ///   a disk that fails.
    @LoopActor
    static func open(_ url: URL, on queue: BlockingQueue) async throws(URLError) -> LocalFile {
        try await queue.run { () throws(URLError) in try LocalFile(url, queue: queue) }
    }

    private init(_ url: URL, queue: BlockingQueue) throws(URLError) {
        self.url = url
        let file = try OpenedFile(url)
        response = URLResponse(
            url: url,
            mimeType: Self.mimeType(ofExtension: url.pathExtension),
            expectedContentLength: Int(file.byteCount),
            textEncodingName: nil
        )
        self.file = UserFile(file.descriptor, on: queue)
    }

    /// Reads the next piece.
    ///
    /// - Parameter limit: The maximum number of bytes in a piece, above 0.
    /// - Returns: The piece; an empty one at the end of the file.
    /// - Throws: ``URLError/resourceUnavailable``.
    @LoopActor
    func read(upTo limit: Int) async throws(URLError) -> Data {
        try await file.queue.run { () throws(URLError) in try self.readPiece(limit) }
    }

    private func readPiece(_ limit: Int) throws(URLError) -> Data {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit, alignment: 16)
        defer { buffer.deallocate() }
        do throws(SystemCallError) {
            let count = try file.withDescriptor { (file) throws(SystemCallError) in
                try file.read(into: buffer)
            }
            return Data(buffer[..<count])
        } catch {
            throw URLError(readingFile: error, url: url)
        }
    }
}

extension URLError {
    /// Creates the error of a task that could not read a `file:` URL.
    init(readingFile error: SystemCallError, url: URL) {
        let code: Code =
            switch error.errno {
            case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: .fileDoesNotExist
            case EISDIR: .fileIsDirectory
            case EACCES, EPERM: .noPermissionsToReadFile
            default: .resourceUnavailable
            }
        self.init(
            code,
            url: url,
            reason: error.description,
            underlyingError: NSError(domain: NSPOSIXErrorDomain, code: Int(error.errno))
        )
    }
}

extension URLError {
    /// Whether a file could not be opened only because the process or the system lacks descriptors or memory for the
    /// moment.
    var isShortage: Bool {
        guard let error = userInfo[NSUnderlyingErrorKey] as? NSError,
            error.domain == NSPOSIXErrorDomain
        else { return false }
        return SystemCallError(call: "open", errno: Int32(error.code)).isShortage
    }
}

/// A regular local file, open for reading.
struct OpenedFile: ~Copyable {
    /// The file.
    let descriptor: FileDescriptor
    /// The file's length when it was opened.
    let byteCount: Int64

    /// Opens the file of a URL; a disk may be slow.
    ///
    /// - Parameter url: An absolute URL whose scheme is `file`.
    /// - Throws: ``URLError/badURL`` for another scheme or a path that is not absolute;
    ///   ``URLError/fileDoesNotExist``, ``URLError/fileIsDirectory``,
    ///   ``URLError/noPermissionsToReadFile``; ``URLError/resourceUnavailable`` for a pipe, a device or
    ///   a disk that fails.
    init(_ url: URL) throws(URLError) {
        let path = try Self.path(of: url)
        do throws(SystemCallError) {
            let file = FileDescriptor(
                owning: try systemCall("open", url.path) {
                    // Without O_NONBLOCK, opening a pipe would wait for a writer that may never come.
                    Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                }
            )
            let status = try file.status()
            guard status.isRegularFile else {
                let errno = status.isDirectory ? EISDIR : EOPNOTSUPP
                throw SystemCallError(call: "open", errno: errno, subject: url.path)
            }
            byteCount = status.size
            descriptor = file
        } catch {
            throw URLError(readingFile: error, url: url)
        }
    }

    /// The path as bytes, with a zero at the end: it need not be UTF-8.
    static func path(of url: URL) throws(URLError) -> [CChar] {
        let path = url.path(percentEncoded: true).utf8.percentDecoded
        guard url.isFileURL, path.first == UInt8(ascii: "/") else {
            throw URLError(.badURL, url: url, reason: "This is not the URL of a file.")
        }
        let host = url.host(percentEncoded: true) ?? ""
        // The kernel would stop at a zero byte and open another file.
        guard ["", "localhost"].contains(host.lowercased()), !path.contains(0) else {
            throw URLError(.fileDoesNotExist, url: url, reason: "This machine has no such file.")
        }
        return (path + [0]).map(CChar.init(bitPattern:))
    }
}
