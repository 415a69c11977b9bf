import Foundation
import Testing

@testable import Ferry

@Suite("Characters and code points of bytes", .timeLimit(.minutes(5)))
struct AsyncTextSequenceTests {
    private static let texts = [
        "", "plain", "äöü€\u{1F600}", "e\u{301}\u{302}x", "\r\n\r\n\n\r",
        "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}!", "\u{1F1E9}\u{1F1EA}\u{1F1EB}\u{1F1F7}a",
        "\u{301}begins", "각\u{1100}\u{1161}\u{11A8}", "\u{0}\u{10FFFF}\u{D7FF}\u{E000}\u{FFFD}",
    ]

    private static let malformed: [[UInt8]] = [
        [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80],
        [0xf0, 0x8f, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80], [0xf0, 0x9f, 0x98], [0xe2, 0x82],
        [0xf0, 0x9f, 0x41], [0xe2, 0xc3, 0xa4], [0xff, 0xfe], [0xc2, 0xc2, 0xa9],
        [0xf1, 0x80, 0xe2],
    ]

    private func check(_ bytes: [UInt8]) async {
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(await ByteSequence(bytes).unicodeScalars.collected() == Array(text.unicodeScalars))
        #expect(await ByteSequence(bytes).characters.collected() == Array(text))
    }

    @Test(arguments: texts)
    func `DL-32: a text comes as itself`(text: String) async {
        await check(Array(text.utf8))
    }

    @Test(arguments: malformed)
    func `DL-32: what is no UTF-8 is replaced as in a string`(bytes: [UInt8]) async {
        await check(bytes)
        await check([0x61] + bytes + [0x62])
        await check(bytes + bytes)
    }

    @Test func `any bytes give what a string gives`() async {
        // Those of which malformed sequences are made.
        let alphabet: [UInt8] = [
            0x00, 0x0a, 0x0d, 0x41, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xcc, 0xdf,
            0xe0,
            0xe2, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff,
        ]
        for count in 0..<400 {
            await check((0..<(count % 40)).map { _ in alphabet.randomElement() ?? 0 })
        }
    }

    @Test func `a code point comes as soon as it is there`() async {
        let (bytes, source) = AsyncStream.makeStream(of: UInt8.self)
        var iterator = bytes.unicodeScalars.makeAsyncIterator()
        for byte in [0xe2, 0x82, 0xac] as [UInt8] { source.yield(byte) }
        #expect(await iterator.next() == "€")
        source.yield(0xe2)
        source.finish()
        #expect(await iterator.next() == "\u{fffd}")
        #expect(await iterator.next() == nil)
    }

    @Test func `an error comes after the characters before it`() async throws {
        let (bytes, source) = AsyncThrowingStream.makeStream(of: UInt8.self)
        for byte in "ab".utf8 { source.yield(byte) }
        source.finish(throwing: URLError(.networkConnectionLost))
        var iterator = bytes.characters.makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        await #expect(throws: URLError(.networkConnectionLost)) { try await iterator.next() }
    }

    @Test(.timeLimit(.minutes(1))) func `a character without end takes time by its length only`()
        async
    {
        let accent: [UInt8] = [0xcc, 0x81]
        let bytes = [0x65] + (0..<400_000).map { accent[$0 % 2] }
        #expect(await ByteSequence(bytes).characters.collected().count == 1)
    }
}

/// Bytes that are at hand, as an asynchronous sequence.
struct ByteSequence: AsyncSequence, Sendable {
    typealias Element = UInt8
    typealias Failure = Never

    let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(bytes: bytes[...]) }

    struct AsyncIterator: AsyncIteratorProtocol {
        var bytes: ArraySlice<UInt8>

        mutating func next() async -> UInt8? { bytes.popFirst() }
    }
}

extension AsyncSequence {
    /// All elements.
    func collected() async throws(Failure) -> [Element] {
        var elements: [Element] = []
        for try await element in self { elements.append(element) }
        return elements
    }
}
