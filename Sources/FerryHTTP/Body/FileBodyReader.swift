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
        /// Whether the bytes were in memory.
        private(set) var wasInMemory = false

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
            from found: Found,
            at offset: Int64,
            limit: Int
        ) throws(SystemCallError) {
            used = 0
            count = 0
            let part = UnsafeMutableRawBufferPointer(rebasing: bytes[..<min(limit, bytes.count)])
            count = found.readFromMemory(into: part, at: offset) ?? 0
            wasInMemory = count == part.count
            guard !wasInMemory else { return }
            count = try found.opened.file.withDescriptor { (file) throws(SystemCallError) in
                try file.read(into: part, at: offset)
            }
        }
    }

    typealias Failure = FileBodySource.Failure

    /// The file, and where it is.
    fileprivate struct Found {
        let opened: FileBodySource.Opened
        let isInMemory: Bool

        /// Reads bytes that are in memory; see ``UserFile/readFromMemory(into:at:ofFileInMemory:)``.
        func readFromMemory(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int? {
            opened.file.readFromMemory(into: buffer, at: offset, ofFileInMemory: isInMemory)
        }
    }

    private let range: Range<Int64>
    private let queue: BlockingQueue
    private let open: @Sendable () throws(SystemCallError) -> FileBodySource.Opened
    private let found = Mutex<Found?>(nil)
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

    /// Reads bytes at an offset of the body that are in memory, except those at its end, before which the file is checked.
    ///
    /// - Returns: How many; `nil` if another thread has to read them.
    func readFromMemory(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int? {
        let start = range.lowerBound + offset
        let limit = Int(clamping: range.upperBound - start) - Chunk.capacity
        guard limit > 0, let found = found.withLock({ $0 }) else { return nil }
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(limit))
        let count = found.readFromMemory(into: part, at: start)
        return count == 0 ? nil : count
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
        let found = try findFile()
        let chunk = spare.withLock { $0.popLast() } ?? Chunk()
        let start = range.lowerBound + offset
        let left = range.upperBound - start
        do throws(SystemCallError) {
            try chunk.fill(from: found, at: start, limit: Int(clamping: left))
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
        let opened = try findFile().opened
        guard let identity = opened.identity else { return }
        do throws(SystemCallError) {
            if try opened.file.identity().hasContent(of: identity) { return }
        } catch {
            throw .call(error)
        }
        throw .changed
    }

    private func findFile() throws(Failure) -> Found {
        if let found = found.withLock({ $0 }) { return found }
        do throws(SystemCallError) {
            let opened = try open()
            let new = Found(opened: opened, isInMemory: opened.file.isInMemory)
            return found.withLock { found in
                found = found ?? new
                return found ?? new
            }
        } catch {
            throw .call(error)
        }
    }
}
