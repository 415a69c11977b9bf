package import FerrySystem

/// The source of a request's body.
///
/// A source belongs to one exchange at a time, which reads it as the connection takes its bytes.
@LoopActor package protocol HTTPBodySource: AnyObject {
    /// The number of bytes in the body; `nil` if it is unknown and the body is sent in chunks.
    var byteCount: Int64? { get }

    /// Copies the next bytes.
    ///
    /// - Parameter buffer: The destination, with room for at least one byte.
    /// - Returns: The number of bytes copied, or why none were.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBodyReading

    /// Moves to an offset from the start of the body, because bytes must be sent again.
    ///
    /// - Returns: Whether the next ``read(into:)`` returns the bytes from there on.
    func seek(to offset: Int64) -> Bool

    /// Calls `continuation` once, and never synchronously, when there are bytes to read after
    /// ``HTTPBodyReading/later``.
    func whenReadable(_ continuation: @escaping @LoopActor () -> Void)
}

extension HTTPBodySource {
    /// The default for sources that always have bytes and never return ``HTTPBodyReading/later``.
    package func whenReadable(_ continuation: @escaping @LoopActor () -> Void) {
        LoopActor.perform { continuation() }
    }
}

/// The result of reading a request's body.
package enum HTTPBodyReading: Hashable, Sendable {
    /// The number of bytes copied, at least one.
    case bytes(count: Int)
    /// No bytes are available at the moment.
    case later
    /// The body is complete.
    case end
    /// The bytes cannot be read; the human-readable message says why.
    case failed(message: String)
}

/// A body held in memory, which is not copied.
package final class BytesBodySource<Bytes>: HTTPBodySource
where Bytes: RandomAccessCollection & Sendable, Bytes.Element == UInt8, Bytes.Index == Int {
    private let bytes: Bytes
    private var position = 0

    /// Delivers the bytes from first to last.
    package init(_ bytes: Bytes) { self.bytes = bytes }

    package var byteCount: Int64? { Int64(bytes.count) }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBodyReading {
        let rest = bytes[(bytes.startIndex + position)...].prefix(buffer.count)
        guard !rest.isEmpty else { return .end }
        buffer.copyBytes(from: rest)
        position += rest.count
        return .bytes(count: rest.count)
    }

    package func seek(to offset: Int64) -> Bool {
        guard let offset = Int(exactly: offset), (0...bytes.count).contains(offset) else {
            return false
        }
        position = offset
        return true
    }
}
