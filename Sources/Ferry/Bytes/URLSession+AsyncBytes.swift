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
