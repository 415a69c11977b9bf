package import FerryHTTP
package import FerrySystem

/// The file that an upload sends, in one state and no other.
///
/// That state is compared with the file's before the first byte is delivered and after the last one was read,
/// so that a request is complete only if all its bytes are of one version.
@LoopActor
package final class UploadSource: HTTPBodySource {
    private let source: FileBodySource

    /// Makes a source of a file that is opened when the upload starts.
    ///
    /// - Parameters:
    ///   - byteCount: How many bytes are sent.
    ///   - queue: The queue that opens the file, and reads it.
    ///   - open: Opens it, off the loop, and returns the state that is to be sent.
    package nonisolated init(
        byteCount: Int64,
        on queue: BlockingQueue,
        open: @escaping @Sendable () throws(SystemCallError) -> FileBodySource.Opened
    ) {
        source = FileBodySource(range: 0..<byteCount, on: queue, open: open)
    }

    package var byteCount: Int64? { source.byteCount }

    /// Why the file cannot be sent, as far as that is known.
    var failure: TransferError? { source.failure.map { TransferError($0) } }

    /// Finds out whether the file is unchanged.
    ///
    /// - Parameter handler: Called later, unless the file never responds, with the failure, if any.
    func check(then handler: @escaping @LoopActor (TransferError?) -> Void) {
        source.check { handler($0.map { TransferError($0) }) }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBodyReading {
        source.read(into: buffer)
    }

    package func seek(to offset: Int64) -> Bool { source.seek(to: offset) }

    package func whenReadable(_ continuation: @escaping @LoopActor () -> Void) {
        source.whenReadable(continuation)
    }
}

extension TransferError {
    /// Translates why a file cannot be sent.
    package init(_ failure: FileBodySource.Failure) {
        switch failure {
        case .changed, .tooShort: self.init(code: .fileChanged, message: failure.message)
        case .call(let error): self.init(error, during: .read)
        }
    }
}
