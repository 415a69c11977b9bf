import FerrySystem
import Synchronization

/// The part of a ``FileBodySource`` that makes the calls on the file.
///
/// A call that hangs keeps this object and its thread, but not the upload, which can still be cancelled.
final class FileBodyReader: Sendable {
    /// Bytes of the file.
    ///
    /// `@unchecked` because only one thread at a time uses it: the one that reads, then the loop's.
    final class Chunk: @unchecked Sendable {
        static let capacity = 256 << 10

        private let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: capacity,
            alignment: 4096
        )
        private var used = 0
        private(set) var count = 0

        deinit { bytes.deallocate() }

        var isUsedUp: Bool { used == count }

        /// Takes the next bytes out.
        func copy(to buffer: UnsafeMutableRawBufferPointer) -> Int {
            let part = UnsafeRawBufferPointer(bytes)[used..<count].prefix(buffer.count)
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
            used += part.count
            return part.count
        }

        fileprivate func fill(
            from file: borrowing FileDescriptor,
            at offset: Int64,
            limit: Int
        ) throws(SystemCallError) {
            used = 0
            count = 0
            let part = UnsafeMutableRawBufferPointer(rebasing: bytes[..<min(limit, bytes.count)])
            count = try file.read(into: part, at: offset)
        }
    }

    typealias Failure = FileBodySource.Failure

    private let range: Range<Int64>
    private let queue: BlockingQueue
    private let open: @Sendable () throws(SystemCallError) -> FileBodySource.Opened
    private let opened = Mutex<FileBodySource.Opened?>(nil)
    private let spare = Mutex<[Chunk]>([])

    init(
        range: Range<Int64>,
        on queue: BlockingQueue,
        open: @escaping @Sendable () throws(SystemCallError) -> FileBodySource.Opened
    ) {
        self.range = range
        self.queue = queue
        self.open = open
    }

    /// Reads the bytes at an offset of the body, and calls the handler on the loop.
    func read(
        at offset: Int64,
        checkingFirst: Bool,
        then handler: @escaping @LoopActor @Sendable (Result<Chunk, Failure>) -> Void
    ) {
        queue.perform {
            let result = Result { () throws(Failure) in
                if checkingFirst { try self.check() }
                return try self.chunk(at: offset)
            }
            LoopActor.perform { handler(result) }
        }
    }

    /// Checks that the file is in the state to be sent, and calls the handler on the loop.
    func check(then handler: @escaping @LoopActor @Sendable (Failure?) -> Void) {
        queue.perform {
            let result = Result { () throws(Failure) in try self.check() }
            LoopActor.perform {
                if case .failure(let failure) = result { handler(failure) } else { handler(nil) }
            }
        }
    }

    /// Takes back a chunk that is used up.
    func reuse(_ chunk: Chunk) { spare.withLock { $0.append(chunk) } }

    private func chunk(at offset: Int64) throws(Failure) -> Chunk {
        let file = try openedFile().file
        let chunk = spare.withLock { $0.popLast() } ?? Chunk()
        let start = range.lowerBound + offset
        let left = range.upperBound - start
        do throws(SystemCallError) {
            try file.withDescriptor { (file) throws(SystemCallError) in
                try chunk.fill(from: file, at: start, limit: Int(clamping: left))
            }
        } catch {
            throw .call(error)
        }
        // The file is checked before its last bytes are delivered: a request is complete only if all its
        // bytes are of one version.
        if chunk.count == 0 || Int64(chunk.count) == left { try check() }
        guard chunk.count > 0 else { throw .tooShort }
        return chunk
    }

    private func check() throws(Failure) {
        let opened = try openedFile()
        guard let identity = opened.identity else { return }
        do throws(SystemCallError) {
            if try opened.file.identity().hasContent(of: identity) { return }
        } catch {
            throw .call(error)
        }
        throw .changed
    }

    private func openedFile() throws(Failure) -> FileBodySource.Opened {
        if let opened = opened.withLock({ $0 }) { return opened }
        do throws(SystemCallError) {
            let new = try open()
            return opened.withLock { opened in
                opened = opened ?? new
                return opened ?? new
            }
        } catch {
            throw .call(error)
        }
    }
}
