package import FerrySystem

/// A body that is read from a file while it is sent: by the loop as far as it is in memory, and otherwise by another thread,
/// ahead of the connection.
///
/// If another process truncates the file meanwhile, the exchange fails and nothing is padded: the length was
/// promised to the server.
@LoopActor
package final class FileBodySource: HTTPBodySource {
    /// Why a file cannot be sent.
    package enum Failure: Error, Hashable, Sendable {
        /// The file is no longer in the state to be sent.
        case changed
        /// The file ends too early.
        case tooShort
        /// A system call on the file has failed.
        case call(SystemCallError)

        /// A human-readable description of the failure.
        package var message: String {
            switch self {
            case .changed: "The file was changed after the upload was made"
            case .tooShort: "The file has become shorter while it was sent"
            case .call(let error): "The file cannot be read: \(error)"
            }
        }
    }

    /// An open file and the state in which it is to be sent; `nil` for any state.
    package struct Opened: Sendable {
        let file: UserFile
        let identity: FileIdentity?

        /// Describes an open file.
        package init(_ file: UserFile, identity: FileIdentity? = nil) {
            self.file = file
            self.identity = identity
        }
    }

    /// The reason why the file cannot be sent, if known.
    package private(set) var failure: Failure?

    private let reader: FileBodyReader
    private let length: Int64
    /// The offset of the next byte to deliver.
    private var position: Int64 = 0
    private var chunks: [FileBodyReader.Chunk] = []
    /// The offset of the next chunk to read.
    private var readPosition: Int64 = 0
    /// The number of seeks so far: a chunk that was read for an earlier offset is dropped.
    private var round = 0
    private var isReading = false
    /// Whether the file has to be read ahead, because it is not in memory.
    private var readsAhead = false
    private var continuation: (@LoopActor () -> Void)?

    /// Two: one is sent while the other is read.
    private static let chunkCount = 2

    /// Sends a range of a file that is opened when it is needed.
    ///
    /// - Parameters:
    ///   - range: The range of its bytes that is the body.
    ///   - queue: The queue that opens and reads it.
    ///   - open: Opens the file, off the loop.
    package nonisolated init(
        range: Range<Int64>,
        on queue: BlockingQueue,
        open: @escaping @Sendable () throws(SystemCallError) -> Opened
    ) {
        reader = FileBodyReader(range: range, on: queue, open: open)
        length = range.upperBound - range.lowerBound
    }

    /// Sends a range of an open file.
    package nonisolated convenience init(_ opened: Opened, range: Range<Int64>) {
        self.init(range: range, on: opened.file.queue) { opened }
    }

    package var byteCount: Int64? { length }

    /// Checks whether the file can be sent, and reads its first bytes.
    ///
    /// - Parameter handler: Called later, with the failure if there is one.
    package func check(then handler: @escaping @LoopActor (Failure?) -> Void) {
        guard failure == nil, chunks.isEmpty, !isReading, position < length else {
            return reader.check { [self] in
                failure = failure ?? $0
                handler($0)
            }
        }
        readOn(checkingFirst: true) { [self] in handler(failure) }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBodyReading {
        guard position < length else { return .end }
        guard let chunk = chunks.first else {
            return readWithoutChunk(into: buffer)
        }
        let count = chunk.copy(to: buffer)
        position += Int64(count)
        if chunk.isUsedUp { reader.reuse(chunks.removeFirst()) }
        if readsAhead { readOn() }
        return .bytes(count: count)
    }

    private func readWithoutChunk(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBodyReading {
        if let failure { return .failed(message: failure.message) }
        if !isReading, !readsAhead, let count = reader.readFromMemory(into: buffer, at: position) {
            position += Int64(count)
            readPosition = position
            return .bytes(count: count)
        }
        readOn()
        return .later
    }

    package func seek(to offset: Int64) -> Bool {
        guard (0...length).contains(offset) else { return false }
        guard offset != position || failure != nil else { return true }
        failure = nil
        position = offset
        readPosition = offset
        chunks = []
        round += 1
        isReading = false
        return true
    }

    package func whenReadable(_ continuation: @escaping @LoopActor () -> Void) {
        guard chunks.isEmpty, isReading else { return LoopActor.perform { continuation() } }
        self.continuation = continuation
    }

    /// Reads the next chunk, if there is room for it.
    private func readOn(
        checkingFirst: Bool = false,
        then handler: @escaping @LoopActor () -> Void = {}
    ) {
        guard !isReading, failure == nil, chunks.count < Self.chunkCount, readPosition < length
        else { return }
        isReading = true
        let round = round
        reader.read(at: readPosition, checkingFirst: checkingFirst) { [weak self] result in
            self?.take(result, of: round)
            handler()
        }
    }

    private func take(_ result: Result<FileBodyReader.Chunk, Failure>, of round: Int) {
        guard round == self.round else { return }
        isReading = false
        switch result {
        case .success(let chunk):
            chunks.append(chunk)
            readPosition += Int64(chunk.count)
            readsAhead = !chunk.wasInMemory
            if readsAhead { readOn() }
        case .failure(let failure):
            self.failure = failure
        }
        let continuation = continuation
        self.continuation = nil
        continuation?()
    }
}
