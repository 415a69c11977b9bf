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
            AsyncIterator(consumer: consumer)
        }
    }
}

extension URLSession.AsyncBytes {
    /// Goes through the bytes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        // What is inlined into the app needs no call while there are bytes at hand.
        @usableFromInline var bytes: [UInt8] = []
        @usableFromInline var position = 0
        private let consumer: Consumer

        init(consumer: Consumer) {
            self.consumer = consumer
        }

        /// Returns the next byte.
        ///
        /// - Returns: The byte; nil at the end and after an error.
        /// - Throws: What the task has failed with; `URLError.Code.cancelled` when the Swift task was cancelled.
        @inlinable
        public mutating func next() async throws -> UInt8? {
            if position < bytes.count {
                defer { position += 1 }
                return bytes[position]
            }
            return try await nextOfMore()
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
            if position < bytes.count {
                defer { position += 1 }
                return bytes[position]
            }
            return try await nextOfMore()
        }

        @usableFromInline
        mutating func nextOfMore() async throws -> UInt8? {
            // Let go of before the wait: the piece may be large.
            bytes = []
            position = 0
            guard let data = try await consumer.stream.next() else { return nil }
            bytes = Array(data)
            position = 1
            return bytes.first
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
