/// The code points of a sequence of bytes, read as UTF-8.
///
/// Invalid UTF-8 becomes U+FFFD.
public struct AsyncUnicodeScalarSequence<Base: AsyncSequence>: AsyncSequence
where Base.Element == UInt8 {
    /// A code point.
    public typealias Element = Unicode.Scalar
    /// The type of error that the bytes throw.
    public typealias Failure = Base.Failure

    private let base: Base

    init(_ base: Base) {
        self.base = base
    }

    /// Makes an iterator over the code points.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: base.makeAsyncIterator())
    }
}

extension AsyncUnicodeScalarSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncUnicodeScalarSequence.AsyncIterator: Sendable {}

extension AsyncUnicodeScalarSequence {
    /// An iterator over the code points.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var base: Base.AsyncIterator
        private let buffer: BufferedBytes?
        private var decoder = ScalarDecoder()

        init(base: Base.AsyncIterator) {
            self.base = base
            buffer = (base as? URLSession.AsyncBytes.AsyncIterator)?.buffer
        }

        /// Returns the next code point.
        ///
        /// - Returns: The code point; nil at the end.
        /// - Throws: The error of the bytes.
        public mutating func next() async throws(Failure) -> Unicode.Scalar? {
            try await next(isolation: #isolation)
        }

        /// Returns the next code point.
        ///
        /// - Parameter actor: The actor that the caller runs on.
        /// - Returns: The code point; nil at the end.
        /// - Throws: The error of the bytes.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Failure) -> Unicode.Scalar? {
            while true {
                if let scalar = nextAtHand() { return scalar }
                guard let byte = try await base.next(isolation: actor) else {
                    return decoder.finish()
                }
                decoder.take(byte)
            }
        }

        /// Returns the next code point if it is available without waiting.
        mutating func nextAtHand() -> Unicode.Scalar? {
            while true {
                if let scalar = decoder.next() { return scalar }
                guard let byte = buffer?.take() else { return nil }
                // Most bytes are ASCII.
                if byte < 0x80, decoder.isEmpty { return Unicode.Scalar(byte) }
                decoder.take(byte)
            }
        }
    }
}

extension AsyncSequence where Element == UInt8 {
    /// The code points that the bytes encode.
    public var unicodeScalars: AsyncUnicodeScalarSequence<Self> { AsyncUnicodeScalarSequence(self) }
}
