import Foundation
import Testing

@testable import Ferry

@Suite("Lines of bytes", .timeLimit(.minutes(5)))
struct AsyncLineSequenceTests {
    private func lines(_ bytes: [UInt8]) async -> [String] {
        await ByteSequence(bytes).lines.collected()
    }

    private func lines(_ text: String) async -> [String] { await lines(Array(text.utf8)) }

    @Test(arguments: [
        "\n", "\r", "\r\n", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}",
    ])
    func `DL-32: a line ends with any line break of Unicode`(lineBreak: String) async {
        #expect(await lines("one\(lineBreak)two\(lineBreak)") == ["one", "two"])
        #expect(await lines("one\(lineBreak)two") == ["one", "two"])
        #expect(await lines("ü\(lineBreak)€\(lineBreak)") == ["ü", "€"])
    }

    @Test(arguments: ["", "\n", "\r\n\r\n", "\u{85}\u{2028}\n\n"])
    func `DL-32: empty lines are left out`(text: String) async {
        #expect(await lines(text) == [])
        #expect(await lines("\(text)one\n\(text)two\(text)") == ["one", "two"])
    }

    @Test func `blanks make a line`() async {
        #expect(await lines(" \n\t\n") == [" ", "\t"])
    }

    @Test func `bytes that only begin like a line break stay in the line`() async {
        #expect(await lines("¢ ‐ ₨ a\nå\u{2027}") == ["¢ ‐ ₨ a", "å\u{2027}"])
        #expect(await lines([0xc2, 0x0a, 0x61]) == ["\u{fffd}", "a"])
        #expect(await lines([0xe2, 0x80, 0x0d, 0x0a, 0x61]) == ["\u{fffd}", "a"])
        #expect(await lines([0x61, 0xc2]) == ["a\u{fffd}"])
        #expect(await lines([0x61, 0xe2, 0x80]) == ["a\u{fffd}"])
        #expect(await lines([0x85, 0x61, 0xa8]) == ["\u{fffd}a\u{fffd}"])
    }

    @Test func `what is no UTF-8 becomes U+FFFD`() async {
        #expect(await lines([0x61, 0xff, 0x62, 0x0a, 0xc0]) == ["a\u{fffd}b", "\u{fffd}"])
    }

    @Test func `a line that ends with CR does not wait for what comes next`() async {
        let (bytes, source) = AsyncStream.makeStream(of: UInt8.self)
        var iterator = bytes.lines.makeAsyncIterator()
        for byte in "one\r".utf8 { source.yield(byte) }
        #expect(await iterator.next() == "one")
        for byte in "\ntwo".utf8 { source.yield(byte) }
        source.finish()
        #expect(await iterator.next() == "two")
        #expect(await iterator.next() == nil)
    }

    @Test func `an error comes after the lines before it`() async throws {
        let (bytes, source) = AsyncThrowingStream.makeStream(of: UInt8.self)
        for byte in "one\ntw".utf8 { source.yield(byte) }
        source.finish(throwing: URLError(.networkConnectionLost))
        var iterator = bytes.lines.makeAsyncIterator()
        #expect(try await iterator.next() == "one")
        await #expect(throws: URLError(.networkConnectionLost)) { try await iterator.next() }
    }

    @Test func `sequences can be sent where their bytes can`() {
        func check(_ value: some Sendable) {}
        check(ByteSequence([]).lines)
        check(ByteSequence([]).characters)
        check(ByteSequence([]).unicodeScalars)
    }
}
