import Foundation

extension URLSession {
    /// The body of a response, byte by byte as it arrives.
    ///
    /// It can be iterated once: each byte goes to one iterator only. A slow reader makes the server wait. The transfer
    /// is cancelled when the Swift task that reads is cancelled, and when neither the sequence nor an iterator is left.
    ///
    /// ```swift
    /// let (bytes, response) = try await session.bytes(from: url)
    /// for try await line in bytes.lines {
    ///     print(line)
    /// }
    /// ```
    ///
    /// Errors after the response, such as a lost connection, are thrown during iteration, as `URLError`, after the
    /// bytes that were received before them.
    public struct AsyncBytes: AsyncSequence, Sendable {
        /// A byte.
        public typealias Element = UInt8
        /// Nearly always a `URLError`.
        public typealias Failure = any Error

        private let consumer: Consumer

        /// The task that loads the body.
        public let task: URLSessionDataTask

        /// The consumer's end of a stream: when all copies and iterators are gone, the stream is abandoned.
        init(stream: ByteStream, task: URLSessionDataTask) {
            consumer = Consumer(stream: stream)
            self.task = task
        }

        /// Makes an iterator over the bytes that have not been read yet.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(buffer: BufferedBytes(of: consumer))
        }
    }
}

extension URLSession.AsyncBytes {
    /// An iterator over the bytes; copies share their position.
    public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline let buffer: BufferedBytes

        /// Returns the next byte.
        ///
        /// - Returns: The byte; nil at the end and after an error.
        /// - Throws: The error of the task; `URLError.Code.cancelled` when the Swift task was cancelled.
        @inlinable
        public mutating func next() async throws -> UInt8? {
            if let byte = buffer.take() { return byte }
            return try await buffer.takeMore()
        }

        /// Returns the next byte.
        ///
        /// - Parameter actor: The actor that the caller runs on.
        /// - Returns: The byte; nil at the end and after an error.
        /// - Throws: The error of the task; `URLError.Code.cancelled` when the Swift task was cancelled.
        @inlinable
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> UInt8? {
            if let byte = buffer.take() { return byte }
            return try await buffer.takeMore()
        }
    }

    /// The shared owner of the stream, which abandons the stream when it is released.
    final class Consumer: Sendable {
        let stream: ByteStream

        init(stream: ByteStream) {
            self.stream = stream
        }

        deinit { stream.abandon() }
    }
}

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
