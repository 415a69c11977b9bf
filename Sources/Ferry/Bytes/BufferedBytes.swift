import Foundation

/// The buffered bytes of an iterator, which lines and characters take without an asynchronous call for each.
@usableFromInline
final class BufferedBytes {
    private let consumer: URLSession.AsyncBytes.Consumer
    // Inlined into the app, so that no call is needed while bytes are buffered.
    @usableFromInline var bytes: [UInt8] = []
    @usableFromInline var position = 0

    init(of consumer: URLSession.AsyncBytes.Consumer) {
        self.consumer = consumer
    }

    /// Takes the next byte; nil if none is buffered.
    @inlinable
    func take() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// Takes the bytes up to the first that fulfils a condition, that one included, or all.
    func take(through isLast: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let rest = bytes[position...]
        let taken = rest.firstIndex(where: isLast).map { rest[...$0] } ?? rest
        position = taken.endIndex
        return taken
    }

    /// Waits for more bytes and takes the first of them; nil at the end.
    @usableFromInline
    func takeMore() async throws -> UInt8? {
        // Released before the wait: the piece may be large.
        bytes = []
        position = 0
        guard let data = try await consumer.stream.next() else { return nil }
        bytes = Array(data)
        return take()
    }
}
