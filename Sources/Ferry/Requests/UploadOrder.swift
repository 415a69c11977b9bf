import FerrySystem
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking
@preconcurrency import Glibc

/// What an upload task of a background session is to do, translated for the layers below and checked.
struct UploadOrder: Sendable {
    /// Where to send the file.
    var request: TransferRequest
    /// The file, opened when the task was made: what becomes of its name after that does not matter.
    var file: PassedFile
    /// The file's absolute path.
    var path: String
    /// How many bytes it has.
    var byteCount: Int64

    /// Translates what the app has given, and opens the file.
    ///
    /// - Throws: What the task fails with when it is resumed.
    init(
        _ request: URLRequest,
        sending url: URL,
        configuration: URLSessionConfiguration.Values
    ) throws(URLError) {
        self.request = try TransferRequest(
            request,
            body: .file(url),
            configuration: configuration
        )
        let path = try LocalFile.path(of: url)
        self.path = url.path
        do throws(SystemCallError) {
            let descriptor = FileDescriptor(
                owning: try systemCall("open", url.path) {
                    // Without O_NONBLOCK a pipe would be waited for, which nobody may write to.
                    Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                }
            )
            let status = try descriptor.status()
            guard status.isRegularFile else {
                let errno = status.isDirectory ? EISDIR : EOPNOTSUPP
                throw SystemCallError(call: "open", errno: errno, subject: url.path)
            }
            byteCount = status.size
            file = PassedFile(descriptor)
        } catch {
            throw URLError(readingFile: error, url: url)
        }
    }
}
