import FerrySystem
import Foundation

/// An app's input stream, read on a thread of its own because reading may block.
final class BodyStream: @unchecked Sendable {
    // @unchecked because a stream is used by one thread at a time: the queue's, once it is passed in.
    private let stream: InputStream
    private let queue = BlockingQueue(label: "ferry.body")
    private var isOpen = false

    /// The result of reading.
    enum Reading: Sendable {
        case bytes([UInt8])
        case end
        case failed(String)
    }

    /// Takes over an unopened stream, which the app has to release itself.
    init(_ stream: InputStream) {
        self.stream = stream
    }

    /// Reads the next piece, and calls `handler` on the loop.
    @LoopActor
    func read(then handler: @escaping @LoopActor (Reading) -> Void) {
        queue.perform { [self] in
            let reading = readPiece()
            LoopActor.perform { handler(reading) }
        }
    }

    deinit {
        guard isOpen else { return }
        // Closing may block if the stream's source no longer responds, and its last user is often the loop.
        nonisolated(unsafe) let stream = stream
        queue.perform { stream.close() }
    }

    private func readPiece() -> Reading {
        if !isOpen {
            stream.open()
            isOpen = true
        }
        var result = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceByteCount) { buffer, count in
            guard let address = buffer.baseAddress else { return }
            result = stream.read(address, maxLength: buffer.count)
            count = min(max(0, result), buffer.count)
        }
        guard result <= Self.pieceByteCount else {
            let reason = "it says that it has read \(result) bytes of at most \(bytes.count)"
            return .failed("The stream cannot be read: \(reason)")
        }
        guard bytes.isEmpty else { return .bytes(bytes) }
        guard result < 0 || stream.streamStatus == .error else { return .end }
        let reason = stream.streamError?.localizedDescription ?? "it does not say why"
        return .failed("The stream cannot be read: \(reason)")
    }

    private static let pieceByteCount = 64 << 10
}
