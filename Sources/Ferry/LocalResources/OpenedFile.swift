import FerrySystem
import Foundation
@preconcurrency import Glibc

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
    private static func path(of url: URL) throws(URLError) -> [CChar] {
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
