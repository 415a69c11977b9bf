import Glibc

/// The bytes of a resource: given, or made from a seed wherever they are needed.
///
/// A seeded content of any size costs no memory: any part of it can be made on its own.
package struct FixtureContent: Sendable, Hashable {
    private enum Source: Sendable, Hashable {
        case bytes([UInt8])
        case seeded(UInt64)
    }

    private let source: Source
    /// The number of bytes.
    package let byteCount: Int64

    /// Bytes that depend on nothing but the seed and their place.
    package static func seeded(_ seed: UInt64, byteCount: Int64) -> FixtureContent {
        FixtureContent(source: .seeded(seed), byteCount: byteCount)
    }

    /// Exactly these bytes.
    package static func bytes(_ bytes: [UInt8]) -> FixtureContent {
        FixtureContent(source: .bytes(bytes), byteCount: Int64(bytes.count))
    }

    /// The UTF-8 bytes of a text.
    package static func text(_ text: String) -> FixtureContent { .bytes(Array(text.utf8)) }

    /// No bytes.
    package static let empty = FixtureContent.bytes([])

    /// All the bytes.
    package var bytes: [UInt8] { bytes(in: 0..<byteCount) }

    /// The bytes of a part, which must lie inside.
    package func bytes(in range: Range<Int64>) -> [UInt8] {
        switch source {
        case .bytes(let bytes):
            Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        case .seeded(let seed):
            Self.bytes(seed: seed, in: range)
        }
    }

    /// Where given bytes first differ from a part of this content, `nil` when they are the same.
    ///
    /// An expectation on this prints one number where one on the bytes would print them all.
    package func firstDifference(from bytes: [UInt8], in range: Range<Int64>? = nil) -> Int? {
        let expected = self.bytes(in: range ?? 0..<byteCount)
        let length = min(expected.count, bytes.count)
        if memcmp(expected, bytes, length) == 0 {
            return expected.count == bytes.count ? nil : length
        }
        return (0..<length).first { expected[$0] != bytes[$0] }
    }

    /// A plain loop over pointers: debug builds, in which this mostly runs, are a hundred times
    /// slower with collections.
    private static func bytes(seed: UInt64, in range: Range<Int64>) -> [UInt8] {
        let first = range.lowerBound & ~7
        let skipped = Int(range.lowerBound - first)
        let wordCount = (skipped + range.count + 7) / 8
        let words = UnsafeMutablePointer<UInt64>.allocate(capacity: wordCount)
        defer { words.deallocate() }
        var index = 0
        while index < wordCount {
            words[index] = word(seed: seed, index: UInt64(first) / 8 &+ UInt64(index))
            index += 1
        }
        let bytes = UnsafeRawBufferPointer(start: words, count: wordCount * 8)
        return Array(bytes[skipped..<skipped + range.count])
    }

    /// One output of the SplitMix64 generator, which can be asked for at any place.
    private static func word(seed: UInt64, index: UInt64) -> UInt64 {
        var word = seed &+ (index &+ 1) &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return (word ^ (word >> 31)).littleEndian
    }
}
