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
