import FerryHTTP
import FerrySystem
import Foundation
@preconcurrency import Glibc

extension FileBodySource {
    /// Opens the file of an upload, which is read as it is sent.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - queue: Where the file is opened; a disk may take its time.
    /// - Returns: All of the file, as long as it is now.
    /// - Throws: As ``LocalFile/open(_:on:)``.
    @LoopActor
    static func open(_ url: URL, on queue: BlockingQueue) async throws(URLError) -> FileBodySource {
        let (descriptor, size) = try await queue.run { () throws(URLError) in
            try openDescriptor(of: url)
        }
        return FileBodySource(FileDescriptor(owning: descriptor), range: 0..<size)
    }

    private nonisolated static func openDescriptor(of url: URL) throws(URLError) -> (Int32, Int64) {
        let path = try LocalFile.path(of: url)
        do throws(SystemCallError) {
            let file = FileDescriptor(
                owning: try systemCall("open", url.path) {
                    Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                }
            )
            let status = try file.status()
            guard status.isRegularFile else {
                let code = status.isDirectory ? EISDIR : EOPNOTSUPP
                throw SystemCallError(call: "open", errno: code, subject: url.path)
            }
            return (file.release(), status.size)
        } catch {
            throw URLError(readingFile: error, url: url)
        }
    }
}
