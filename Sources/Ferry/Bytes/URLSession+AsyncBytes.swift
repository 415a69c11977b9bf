import Foundation

extension URLSession {
    /// The body of a response, byte by byte as it arrives.
    ///
    /// It can be gone through once: what one iterator has got, no other gets. Who reads slowly makes the server
    /// wait. When the Swift task that reads is cancelled, and when neither the sequence nor an iterator is left,
    /// the transfer is cancelled.
    ///
    /// ```swift
    /// let (bytes, response) = try await session.bytes(from: url)
    /// for try await line in bytes.lines {
    ///     print(line)
    /// }
    /// ```
    ///
    /// Errors that come after the response, such as a connection that is lost, are thrown while iterating, as
    /// `URLError`. The bytes that have come before are delivered before.
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

        /// Makes an iterator over the bytes that nobody has got yet.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(buffer: BufferedBytes(of: consumer))
        }
    }
}

extension URLSession.AsyncBytes {
    /// Goes through the bytes; a copy goes on where the other one is.
    public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline let buffer: BufferedBytes

        /// Returns the next byte.
        ///
        /// - Returns: The byte; nil at the end and after an error.
        /// - Throws: What the task has failed with; `URLError.Code.cancelled` when the Swift task was cancelled.
        @inlinable
        public mutating func next() async throws -> UInt8? {
            if let byte = buffer.take() { return byte }
            return try await buffer.takeMore()
        }

        /// Returns the next byte.
        ///
        /// - Parameter actor: Where the caller runs.
        /// - Returns: The byte; nil at the end and after an error.
        /// - Throws: What the task has failed with; `URLError.Code.cancelled` when the Swift task was cancelled.
        @inlinable
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> UInt8? {
            if let byte = buffer.take() { return byte }
            return try await buffer.takeMore()
        }
    }

    /// All that hold it want the stream's bytes.
    final class Consumer: Sendable {
        let stream: ByteStream

        init(stream: ByteStream) {
            self.stream = stream
        }

        deinit { stream.abandon() }
    }
}
