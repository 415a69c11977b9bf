/// The characters of a sequence of bytes, read as UTF-8.
///
/// A character is what a user perceives as one: it may consist of several code points, and is known to have ended only
/// when the next one begins. Invalid UTF-8 becomes U+FFFD.
public struct AsyncCharacterSequence<Base: AsyncSequence>: AsyncSequence
where Base.Element == UInt8 {
    /// A character.
    public typealias Element = Character
    /// The type of error that the bytes throw.
    public typealias Failure = Base.Failure

    private let base: AsyncUnicodeScalarSequence<Base>

    init(_ base: Base) {
        self.base = AsyncUnicodeScalarSequence(base)
    }

    /// Makes an iterator over the characters.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: base.makeAsyncIterator())
    }
}

extension AsyncCharacterSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncCharacterSequence.AsyncIterator: Sendable {}

extension AsyncCharacterSequence {
    /// An iterator over the characters.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var base: AsyncUnicodeScalarSequence<Base>.AsyncIterator
        /// The character that may still continue.
        private var character = ""
        // Not documented, but public since Swift 5.8. Asking a string instead takes time that grows with the
        // square of a character's length, which a server chooses.
        private var recognizer = Unicode._CharacterRecognizer()

        init(base: AsyncUnicodeScalarSequence<Base>.AsyncIterator) {
            self.base = base
        }

        /// Returns the next character.
        ///
        /// - Returns: The character; nil at the end.
        /// - Throws: The error of the bytes. A character that may continue before it is lost.
        public mutating func next() async throws(Failure) -> Character? {
            try await next(isolation: #isolation)
        }

        /// Returns the next character.
        ///
        /// - Parameter actor: The actor that the caller runs on.
        /// - Returns: The character; nil at the end.
        /// - Throws: The error of the bytes. A character that may continue before it is lost.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Failure) -> Character? {
            while true {
                while let scalar = base.nextAtHand() {
                    if let complete = take(scalar) { return complete }
                }
                guard let scalar = try await base.next(isolation: actor) else {
                    defer { character = "" }
                    return character.first
                }
                if let complete = take(scalar) { return complete }
            }
        }

        /// Takes a code point; returns the character that has ended before it.
        private mutating func take(_ scalar: Unicode.Scalar) -> Character? {
            let hasBreak = recognizer.hasBreak(before: scalar)
            let complete = hasBreak ? character.first : nil
            if hasBreak { character = "" }
            character.unicodeScalars.append(scalar)
            return complete
        }
    }
}

extension AsyncSequence where Element == UInt8 {
    /// The characters that the bytes encode.
    public var characters: AsyncCharacterSequence<Self> { AsyncCharacterSequence(self) }
}
