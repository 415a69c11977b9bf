import Testing

@testable import FerryHTTP

@Suite(.timeLimit(.minutes(5))) struct BodyDecoderTests {
    /// The sizes of the pieces in which bodies arrive.
    static let pieces = [1, 7, 4096, Int.max >> 1]
    static let text = Packing.text(seed: 1, byteCount: 100_000)
    static let shortText = Packing.text(seed: 2, byteCount: 300)

    // MARK: Whole bodies

    @Test(arguments: ContentCoding.allCases, pieces)
    func `a body is the same in pieces of any size`(coding: ContentCoding, piece: Int) throws {
        for text in [[], [0], Self.shortText, Self.text] {
            let unpacked = Unpacked(try Packing.pack(text, coding), [coding], piece: piece)
            #expect(unpacked.error == nil)
            #expect(unpacked.isComplete)
            #expect(unpacked.bytes == text)
        }
    }

    @Test(arguments: pieces)
    func `deflate without a format is read as well as that in zlib's`(piece: Int) throws {
        for text in [[], [0], Self.shortText, Self.text] {
            let packed = try Packing.deflate(text, windowBits: -15)
            let unpacked = Unpacked(packed, [.deflate], piece: piece)
            #expect(unpacked.isComplete)
            #expect(unpacked.bytes == text)
        }
    }

    @Test(arguments: pieces)
    func `KEEP-5: the members of a gzip body are one after the other`(piece: Int) throws {
        let texts = [Self.shortText, [], Self.text, [7], []]
        let packed = try texts.flatMap { try Packing.pack($0, .gzip) }
        let unpacked = Unpacked(packed, [.gzip], piece: piece)
        #expect(unpacked.error == nil)
        #expect(unpacked.isComplete)
        #expect(unpacked.bytes == texts.flatMap { $0 })
    }

    @Test(arguments: pieces)
    func `frames of zstd are one after the other, and some are skipped`(piece: Int) throws {
        let skipped: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
        let packed =
            try skipped + Packing.pack(Self.text, .zstd) + skipped
            + Packing.pack([], .zstd) + Packing.pack(Self.shortText, .zstd) + skipped
        let unpacked = Unpacked(packed, [.zstd], piece: piece)
        #expect(unpacked.error == nil)
        #expect(unpacked.isComplete)
        #expect(unpacked.bytes == Self.text + Self.shortText)
    }

    @Test(
        arguments: [
            [.gzip, .brotli], [.brotli, .gzip], [.gzip, .gzip], [.zstd, .deflate, .brotli],
            [.deflate, .gzip, .brotli, .zstd, .gzip],
        ] as [[ContentCoding]],
        pieces
    )
    func `codings that are around each other are undone from outside`(
        codings: [ContentCoding],
        piece: Int
    ) throws {
        let packed = try codings.reduce(Self.text) { try Packing.pack($0, $1) }
        let unpacked = Unpacked(packed, codings, piece: piece)
        #expect(unpacked.isComplete)
        #expect(unpacked.bytes == Self.text)
        // Each of them may be what ends early.
        for coding in codings.indices {
            let inner = try codings[..<coding].reduce(Self.text) { try Packing.pack($0, $1) }
            let cut = try codings[(coding + 1)...].reduce(
                try Packing.pack(inner, codings[coding]).dropLast()
            ) { try Packing.pack(Array($0), $1) }
            let unpacked = Unpacked(Array(cut), codings, piece: piece)
            #expect(!unpacked.isComplete)
        }
    }

    // MARK: Early ends

    @Test(arguments: ContentCoding.allCases, pieces)
    func `SEC-12: a body that is cut anywhere is not whole`(
        coding: ContentCoding,
        piece: Int
    ) throws {
        let short = try Packing.pack(Self.shortText, coding)
        for end in short.indices {
            let unpacked = Unpacked(Array(short[..<end]), [coding], piece: piece)
            #expect(!unpacked.isComplete, "cut at \(end)")
            #expect(Self.shortText.starts(with: unpacked.bytes))
        }
        let long = try Packing.pack(Self.text, coding)
        for tenth in 0..<10 {
            let cut = Array(long[..<(long.count * tenth / 10)])
            let unpacked = Unpacked(cut, [coding], piece: piece)
            #expect(!unpacked.isComplete, "cut at \(tenth) tenths")
            #expect(Self.text.starts(with: unpacked.bytes))
        }
    }

    @Test(arguments: [ContentCoding.gzip, .zstd], pieces)
    func `SEC-12: a further member that is cut anywhere is missing`(
        coding: ContentCoding,
        piece: Int
    ) throws {
        let (first, second) = try (
            Packing.pack([1, 2, 3], coding), Packing.pack(Self.shortText, coding)
        )
        for end in second.indices.dropFirst() {
            let unpacked = Unpacked(first + second[..<end], [coding], piece: piece)
            #expect(!unpacked.isComplete, "cut at \(end)")
        }
        #expect(Unpacked(first, [coding], piece: piece).isComplete)
    }

    // MARK: Broken bodies

    @Test(arguments: ContentCoding.allCases, pieces)
    func `bytes before a body or after it are an error`(coding: ContentCoding, piece: Int) throws {
        let packed = try Packing.pack(Self.shortText, coding)
        for garbage in [[0], Array("rubbish".utf8), [UInt8](repeating: 0, count: 512)] {
            let after = Unpacked(packed + garbage, [coding], piece: piece)
            #expect(after.error == .cannotDecodeContent, "\(garbage.prefix(4)) after it")
            let before = Unpacked(garbage + packed, [coding], piece: piece)
            #expect(!before.isComplete || before.error != nil, "\(garbage.prefix(4)) before it")
            // Brotli and deflate may take them for a beginning that is never complete.
            if coding == .gzip || coding == .zstd { #expect(before.error == .cannotDecodeContent) }
        }
    }

    @Test(arguments: pieces)
    func `a checksum or a length that is wrong is an error`(piece: Int) throws {
        for coding in [ContentCoding.gzip, .deflate, .zstd] {
            let packed = try Packing.pack(Self.text, coding)
            for place in 1...(coding == .gzip ? 8 : 4) {
                var changed = packed
                changed[changed.count - place] ^= 1
                let unpacked = Unpacked(changed, [coding], piece: piece)
                #expect(unpacked.error == .cannotDecodeContent, "\(coding), \(place) from the end")
            }
        }
    }

    @Test(arguments: [ContentCoding.gzip, .deflate, .zstd], pieces)
    func `what has a checksum is never another body with any bit changed`(
        coding: ContentCoding,
        piece: Int
    ) throws {
        let packed = try Packing.pack(Self.shortText, coding)
        for place in packed.indices {
            for bit in 0..<8 {
                var changed = packed
                changed[place] ^= 1 << bit
                let unpacked = Unpacked(changed, [coding], piece: piece)
                // Deflate without a format, as which a changed beginning may be read, has no checksum.
                guard unpacked.isComplete, !(coding == .deflate && place < 2) else { continue }
                #expect(unpacked.bytes == Self.shortText, "bit \(bit) of byte \(place)")
            }
        }
    }

    @Test(arguments: pieces)
    func `a frame of zstd that ends before its announced length is an error`(piece: Int) {
        // One segment of 160 bytes, and a last block that is empty.
        let empty: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x20, 160, 1, 0, 0]
        #expect(Unpacked(empty, [.zstd], piece: piece).error == .cannotDecodeContent)
        // With a block of one byte before that.
        let short: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x20, 2, 8, 0, 0, 7, 1, 0, 0]
        #expect(Unpacked(short, [.zstd], piece: piece).error == .cannotDecodeContent)
        var right = short
        right[5] = 1
        #expect(Unpacked(right, [.zstd], piece: piece).bytes == [7])
    }

    @Test func `formats of zstd's past are none`() {
        for magic in [0x1E, 0x22, 0x25, 0x27] as [UInt8] {
            let body = [magic, 0xB5, 0x2F, 0xFD] + [UInt8](repeating: 0, count: 20)
            #expect(Unpacked(body, [.zstd], piece: 100).error == .cannotDecodeContent)
        }
    }

    // MARK: Limits

    @Test(arguments: ContentCoding.allCases)
    func `a body that grows is made in small steps`(coding: ContentCoding) throws {
        let zeros = [UInt8](repeating: 0, count: 32 << 20)
        let packed = try Packing.pack(zeros, coding)
        let decoder = try BodyDecoder([coding])
        var count = 0
        try packed.withUnsafeBytes { packed in
            var rest = packed
            while let step = try decoder.step(&rest) {
                #expect(step.madeByteCount <= BodyDecoder.stepByteCount)
                count += step.bytes.count
            }
        }
        #expect(count == zeros.count && decoder.isComplete)
    }

    @Test(arguments: pieces)
    func `RFC 9659: a window of zstd is 8 MiB at most`(piece: Int) throws {
        let allowed = try Packing.zstd(Self.text, windowLog: 23)
        #expect(Unpacked(allowed, [.zstd], piece: piece).bytes == Self.text)
        let tooLarge = try Packing.zstd(Self.shortText, windowLog: 24)
        let unpacked = Unpacked(tooLarge, [.zstd], piece: piece)
        #expect(unpacked.error == .cannotDecodeContent)
        #expect(unpacked.bytes.isEmpty)
    }

    @Test func `bytes that another coding is around count as made`() throws {
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        // All of it is a frame that is to be skipped: nothing is delivered.
        let skipped: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 0, 0, 16, 0] + zeros
        let packed = try Packing.pack(skipped, .gzip)
        let decoder = try BodyDecoder([.zstd, .gzip])
        var count = 0
        try packed.withUnsafeBytes { packed in
            var rest = packed
            while let step = try decoder.step(&rest) {
                #expect(step.bytes.isEmpty)
                count += step.madeByteCount
            }
        }
        #expect(count >= skipped.count && decoder.isComplete)
    }
}
