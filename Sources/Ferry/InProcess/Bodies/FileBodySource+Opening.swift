import FerryHTTP
import FerrySystem
import Foundation

extension FileBodySource {
    /// Opens the file of an upload, which is read as it is sent.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - queue: Where the file is opened; a disk may take its time.
    /// - Returns: All of the file, as long as it is now.
    /// - Throws: As ``OpenedFile/init(_:)``.
    @LoopActor
    static func open(_ url: URL, on queue: BlockingQueue) async throws(URLError) -> FileBodySource {
        let (descriptor, byteCount) = try await queue.run { () throws(URLError) in
            let file = try OpenedFile(url)
            let byteCount = file.byteCount
            return (file.descriptor.release(), byteCount)
        }
        return FileBodySource(FileDescriptor(owning: descriptor), range: 0..<byteCount)
    }
}
