/// The lines of a sequence of bytes, read as UTF-8.
///
/// A line ends with one of the line breaks of Unicode: LF, CR, CR LF, VT (U+000B), FF (U+000C), NEL (U+0085), LS
/// (U+2028) or PS (U+2029), which is not part of it; the last one may also end with the bytes. Empty lines are
/// omitted, as on Apple's systems: where they matter, as in server-sent events, read the bytes or the characters.
/// Invalid UTF-8 becomes U+FFFD.
public struct AsyncLineSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
    /// A line without its end.
    public typealias Element = String
    /// The type of error that the bytes throw.
    public typealias Failure = Base.Failure

    private let base: Base

    init(_ base: Base) {
        self.base = base
    }

    /// Makes an iterator over the lines.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: base.makeAsyncIterator())
    }
}

extension AsyncLineSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncLineSequence.AsyncIterator: Sendable {}

extension AsyncLineSequence {
    /// An iterator over the lines.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var base: Base.AsyncIterator
        private let buffer: BufferedBytes?
        private var splitter = LineSplitter()

        init(base: Base.AsyncIterator) {
            self.base = base
            buffer = (base as? URLSession.AsyncBytes.AsyncIterator)?.buffer
        }

        /// Returns the next line.
        ///
        /// - Returns: The line; nil at the end.
        /// - Throws: The error of the bytes. An incomplete line before it is lost.
        public mutating func next() async throws(Failure) -> String? {
            try await next(isolation: #isolation)
        }

        /// Returns the next line.
        ///
        /// - Parameter actor: The actor that the caller runs on.
        /// - Returns: The line; nil at the end.
        /// - Throws: The error of the bytes. An incomplete line before it is lost.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Failure) -> String? {
            while true {
                if let buffer, let line = splitter.take(from: buffer) { return line }
                guard let byte = try await base.next(isolation: actor) else {
                    return splitter.finish()
                }
                if let line = splitter.take(byte) { return line }
            }
        }
    }
}

extension AsyncSequence where Element == UInt8 {
    /// The lines that the bytes encode.
    public var lines: AsyncLineSequence<Self> { AsyncLineSequence(self) }
}

/// Splits bytes into lines.
struct LineSplitter {
    /// The line so far, with what may become a line break at its end.
    private var line: [UInt8] = []

    /// Takes a byte.
    ///
    /// The LF of a CR LF ends an empty line, so it needs no special handling.
    ///
    /// - Returns: The line that it ends, unless that is empty.
    mutating func take(_ byte: UInt8) -> String? {
        line.append(byte)
        return endIfBroken(by: byte)
    }

    /// Takes buffered bytes, up to the end of a line.
    ///
    /// - Returns: The line; nil if there is no complete one.
    mutating func take(from buffer: BufferedBytes) -> String? {
        while true {
            let bytes = buffer.take(through: Self.mayEnd(with:))
            guard let last = bytes.last else { return nil }
            line.append(contentsOf: bytes)
            if let line = endIfBroken(by: last) { return line }
        }
    }

    /// Takes the end of the bytes.
    ///
    /// - Returns: The line that it ends, unless that is empty.
    mutating func finish() -> String? { end(0) }

    /// Whether a line break can end with a byte.
    private static func mayEnd(with byte: UInt8) -> Bool {
        switch byte {
        case 0x0a...0x0d, 0x85, 0xa8, 0xa9: true
        default: false
        }
    }

    private mutating func endIfBroken(by last: UInt8) -> String? {
        switch last {
        case 0x0a...0x0d: end(1)
        case 0x85 where line.dropLast().last == 0xc2: end(2)
        case 0xa8 where line.dropLast().suffix(2) == [0xe2, 0x80]: end(3)
        case 0xa9 where line.dropLast().suffix(2) == [0xe2, 0x80]: end(3)
        default: nil
        }
    }

    private mutating func end(_ breakByteCount: Int) -> String? {
        defer { line.removeAll(keepingCapacity: true) }
        let content = line.dropLast(breakByteCount)
        return content.isEmpty ? nil : String(decoding: content, as: UTF8.self)
    }
}
