import FerrySystem

/// A body that is held in memory.
final class BytesBodySource: HTTPBodySource {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var byteCount: Int64? { Int64(bytes.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBodyReading {
        let rest = bytes[position...].prefix(buffer.count)
        guard !rest.isEmpty else { return .end }
        buffer.copyBytes(from: rest)
        position += rest.count
        return .bytes(count: rest.count)
    }

    func seek(to offset: Int64) -> Bool {
        guard let offset = Int(exactly: offset), (0...bytes.count).contains(offset) else {
            return false
        }
        position = offset
        return true
    }

    func whenReadable(_ continuation: @escaping @LoopActor () -> Void) {
        LoopActor.perform { continuation() }
    }
}
