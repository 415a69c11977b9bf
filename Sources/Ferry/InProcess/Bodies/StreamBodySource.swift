import FerryHTTP
import FerrySystem

/// A body from an app's input stream, read one piece ahead of what is sent.
///
/// If the body's length is announced, its last byte is delivered only when the stream has ended there: a stream of another
/// length fails the request, which no server accepts as complete before.
final class StreamBodySource: HTTPBodySource {
    let byteCount: Int64?

    private let stream: BodyStream
    private var piece: ArraySlice<UInt8> = []
    /// How the stream has ended.
    private var end: HTTPBodyReading?
    private var isReading = false
    private var arrivedByteCount: Int64 = 0
    private var deliveredByteCount: Int64 = 0
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
        let part = readable.prefix(buffer.count)
        piece = piece.dropFirst(part.count)
        deliveredByteCount += Int64(part.count)
        if readable.isEmpty { readAhead() }
        guard part.isEmpty else {
            buffer.copyBytes(from: part)
            return .bytes(count: part.count)
        }
        return end ?? .later
    }

    /// The bytes that may be delivered.
    private var readable: ArraySlice<UInt8> {
        end == nil && arrivedByteCount == byteCount ? piece.dropLast() : piece
    }

    /// Seeks only to the start, and only before any of the stream was delivered.
    func seek(to offset: Int64) -> Bool { offset == 0 && deliveredByteCount == 0 }

    func whenReadable(_ continuation: @escaping @LoopActor () -> Void) {
        guard readable.isEmpty, end == nil else { return LoopActor.perform { continuation() } }
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
        case .bytes(let bytes):
            arrivedByteCount += Int64(bytes.count)
            if let byteCount, arrivedByteCount > byteCount {
                fail("The stream has more than the \(byteCount) bytes of its Content-Length")
            } else {
                piece = bytes[...]
            }
        case .end:
            if let byteCount, arrivedByteCount < byteCount {
                fail("The stream ended after \(arrivedByteCount) of \(byteCount) bytes")
            } else {
                end = .end
            }
        case .failed(let message):
            fail(message)
        }
        let continuation = continuation
        self.continuation = nil
        continuation?()
    }

    /// Delivers nothing any more.
    private func fail(_ message: String) {
        piece = []
        end = .failed(message: message)
    }
}
