/// Eight bytes of a text, which are looked at together.
struct EightBytes {
    private static let each: UInt64 = 0x0101_0101_0101_0101

    private let word: UInt64

    /// The eight bytes at an index; nil if there are fewer.
    init?(of text: UnsafeRawBufferPointer, at index: Int) {
        guard index + 8 <= text.count else { return nil }
        word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// The number of bytes before the first one in whose place a string in JSON has an escape; 8 if there is none.
    ///
    /// That is a quotation mark, a backslash or a control.
    var plainCount: Int {
        let escaped =
            Self.borrows(word, less: 0x20) | Self.borrows(word ^ (Self.each * 0x22), less: 1)
            | Self.borrows(word ^ (Self.each * 0x5C), less: 1)
        // What a byte borrows can make one after it look escaped, but none before it.
        return (escaped & (Self.each * 0x80)).trailingZeroBitCount / 8
    }

    /// Whether all of them are ASCII.
    var areASCII: Bool { word & (Self.each * 0x80) == 0 }

    /// A byte that is less than `n`, which is at most 0x80, borrows the highest bit when `n` is taken from it.
    private static func borrows(_ word: UInt64, less n: UInt64) -> UInt64 {
        (word &- each * n) & ~word
    }
}
