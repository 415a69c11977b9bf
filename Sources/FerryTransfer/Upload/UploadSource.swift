package import FerryHTTP
package import FerrySystem

/// The file that an upload sends, in one state and no other.
///
/// That state is compared with the file's before the first byte is read and after the last one was: only
/// then is that one handed over. So a request is complete only if all its bytes are of one version.
@LoopActor
package final class UploadSource: HTTPBodySource {
    private let file: FileDescriptor
    private let identity: FileIdentity
    private var position: Int64 = 0
    /// Why the file cannot be sent, if so.
    private(set) var failure: TransferError?

    /// Makes a source of a file.
    ///
    /// - Parameters:
    ///   - file: The file, open for reading.
    ///   - identity: The state of it that is to be sent.
    package nonisolated init(_ file: consuming FileDescriptor, identity: FileIdentity) {
        self.file = file
        self.identity = identity
    }

    package var byteCount: Int64? { identity.size }

    /// Whether the file is what it was; if not, ``failure`` says so.
    func check() -> Bool {
        do throws(SystemCallError) {
            if try file.identity().hasContent(of: identity) { return true }
            failure = TransferError(
                code: .fileChanged,
                message: "the file was changed after the upload was made"
            )
        } catch {
            failure = TransferError(error, during: .open)
        }
        return false
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBodyReading {
        let room = min(Int64(buffer.count), identity.size - position)
        guard room > 0 else { return .end }
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(room)])
        do throws(SystemCallError) {
            let count = try file.read(into: part, at: position)
            let isLast = count == 0 || position + Int64(count) == identity.size
            if isLast, !check() || count == 0 { return failed() }
            position += Int64(count)
            return .bytes(count: count)
        } catch {
            failure = TransferError(error, during: .open)
            return failed()
        }
    }

    private func failed() -> HTTPBodyReading {
        .failed(message: failure?.message ?? "the file ends too early")
    }

    package func seek(to offset: Int64) -> Bool {
        guard (0...identity.size).contains(offset) else { return false }
        position = offset
        return true
    }
}
