import FerryHTTP
import FerrySystem

/// A body from an app's input stream, read one piece ahead of what is sent.
final class StreamBodySource: HTTPBodySource {
    let byteCount: Int64?

    private let stream: BodyStream
    private var piece: ArraySlice<UInt8> = []
    /// How the stream has ended.
    private var end: HTTPBodyReading?
    private var isReading = false
    private var hasBegun = false
    private var continuation: (@LoopActor () -> Void)?

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - stream: The stream that provides the bytes.
    ///   - byteCount: The body's length, if known.
    init(_ stream: BodyStream, byteCount: Int64?) {
        self.stream = stream
        self.byteCount = byteCount
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBodyReading {
        hasBegun = true
        let part = piece.prefix(buffer.count)
        piece = piece.dropFirst(part.count)
        if piece.isEmpty { readAhead() }
        guard part.isEmpty else {
            buffer.copyBytes(from: part)
            return .bytes(count: part.count)
        }
        return end ?? .later
    }

    /// Seeks only to the start, and only before the stream was read.
    func seek(to offset: Int64) -> Bool { offset == 0 && !hasBegun }

    func whenReadable(_ continuation: @escaping @LoopActor () -> Void) {
        guard piece.isEmpty, end == nil else { return LoopActor.perform { continuation() } }
        self.continuation = continuation
    }

    private func readAhead() {
        guard !isReading, end == nil else { return }
        isReading = true
        stream.read { [weak self] in self?.take($0) }
    }

    private func take(_ reading: BodyStream.Reading) {
        isReading = false
        switch reading {
        case .bytes(let bytes): piece = bytes[...]
        case .end: end = .end
        case .failed(let message): end = .failed(message: message)
        }
        let continuation = continuation
        self.continuation = nil
        continuation?()
    }
}
