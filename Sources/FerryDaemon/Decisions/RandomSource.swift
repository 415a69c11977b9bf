import FoundationEssentials

/// The daemon's random numbers: for jitter, and for names and numbers that nobody guesses or has used before.
struct RandomSource: RandomNumberGenerator, Sendable {
    private var generator: any RandomNumberGenerator & Sendable

    init(_ generator: any RandomNumberGenerator & Sendable) { self.generator = generator }

    mutating func next() -> UInt64 { generator.next() }

    /// Returns a text that cannot be guessed.
    mutating func makeToken() -> String {
        (0..<2).map { _ in
            let text = String(next(), radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
    }

    /// Returns a number that no earlier daemon has used either.
    mutating func makeNumber() -> Int { Int(next() >> 11) }

    /// Returns an identifier.
    mutating func makeIdentifier() -> UUID {
        let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &self) }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
