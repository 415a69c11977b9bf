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

/// Decodes code points from bytes as they arrive, as `String(decoding:as:)` does from all of them.
struct ScalarDecoder {
    /// The beginning of the next code point, and the byte after it if that does not continue it.
    private var pending: [UInt8] = []

    /// Whether the next byte begins a code point.
    var isEmpty: Bool { pending.isEmpty }

    /// Takes a byte; then call ``next()`` until it returns nil.
    mutating func take(_ byte: UInt8) {
        pending.append(byte)
    }

    /// Returns a code point; nil if it needs more bytes.
    mutating func next() -> Unicode.Scalar? {
        guard let first = pending.first else { return nil }
        guard let byteCount = Self.byteCount(of: first) else { return replacing(1) }
        let wrong = pending.indices.dropFirst().first { !isContinuation($0) }
        // A maximal subpart becomes one U+FFFD, Unicode 15 §3.9, table 3-8.
        if let wrong { return replacing(wrong) }
        guard pending.count == byteCount else { return nil }
        defer { pending.removeAll(keepingCapacity: true) }
        return scalar
    }

    /// Takes the end of the bytes.
    ///
    /// - Returns: U+FFFD for an incomplete code point.
    mutating func finish() -> Unicode.Scalar? {
        pending.isEmpty ? nil : replacing(pending.count)
    }

    private mutating func replacing(_ byteCount: Int) -> Unicode.Scalar {
        pending.removeFirst(byteCount)
        return Self.replacement
    }

    private static let replacement: Unicode.Scalar = "\u{fffd}"

    private static func byteCount(of first: UInt8) -> Int? {
        switch first {
        case 0x00...0x7f: 1
        case 0xc2...0xdf: 2
        case 0xe0...0xef: 3
        case 0xf0...0xf4: 4
        default: nil
        }
    }

    /// Whether a byte is valid at its position; the first byte determines the range of the second.
    private func isContinuation(_ index: Int) -> Bool {
        let range: ClosedRange<UInt8> =
            switch (index, pending[0]) {
            case (1, 0xe0): 0xa0...0xbf
            case (1, 0xed): 0x80...0x9f
            case (1, 0xf0): 0x90...0xbf
            case (1, 0xf4): 0x80...0x8f
            default: 0x80...0xbf
            }
        return range.contains(pending[index])
    }

    /// The code point of complete and valid bytes.
    private var scalar: Unicode.Scalar {
        let leading: UInt8 =
            switch pending.count {
            case 1: 0x7f
            case 2: 0x1f
            case 3: 0x0f
            default: 0x07
            }
        let value = pending.dropFirst().reduce(UInt32(pending[0] & leading)) {
            $0 << 6 | UInt32($1 & 0x3f)
        }
        return Unicode.Scalar(value) ?? Self.replacement
    }
}
