import FerryHTTP
import FerrySystem
import Foundation

/// A body that the app has in memory, which is not copied.
final class DataBodySource: HTTPBodySource {
    private let data: Data
    private var position = 0

    init(_ data: Data) { self.data = data }

    var byteCount: Int64? { Int64(data.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBodyReading {
        let count = min(buffer.count, data.count - position)
        guard count > 0 else { return .end }
        let start = data.startIndex + position
        data.copyBytes(to: buffer, from: start..<start + count)
        position += count
        return .bytes(count: count)
    }

    func seek(to offset: Int64) -> Bool {
        guard let offset = Int(exactly: offset), (0...data.count).contains(offset) else {
            return false
        }
        position = offset
        return true
    }

    func whenReadable(_ continuation: @escaping @LoopActor () -> Void) {
        LoopActor.perform { continuation() }
    }
}
