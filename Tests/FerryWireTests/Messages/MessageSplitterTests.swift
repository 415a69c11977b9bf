import Foundation
import Testing

@testable import FerryWire

@Suite(.timeLimit(.minutes(5))) struct MessageSplitterTests {
    private func messages(_ parts: [String], limit: Int = 100) throws -> [String] {
        var splitter = MessageSplitter(limit: limit)
        var found: [String] = []
        for part in parts {
            Array(part.utf8).withUnsafeBytes { splitter.append($0) }
            while let message = try splitter.next() {
                found.append(String(decoding: message, as: UTF8.self))
            }
        }
        return found
    }

    @Test(arguments: [
        ["one\0two\0"], ["one", "\0two\0"], ["one\0t", "wo", "\0thr"],
        ["o", "n", "e", "\0", "t", "w", "o", "\0"],
    ])
    func `messages are found however the bytes arrive`(parts: [String]) throws {
        #expect(try messages(parts) == ["one", "two"])
    }

    @Test func `an empty message is one`() throws {
        #expect(try messages(["\0\0a\0"]) == ["", "", "a"])
    }

    @Test func `a message may be as long as the limit and no longer`() throws {
        #expect(try messages(["12345\0"], limit: 5) == ["12345"])
        #expect(throws: MessageError.tooLong(limit: 5)) { try messages(["123456\0"], limit: 5) }
        #expect(throws: MessageError.tooLong(limit: 5)) { try messages(["123456"], limit: 5) }
    }

    @Test func `short messages together may be longer than the limit`() throws {
        let parts = [String(repeating: "1234\0", count: 50)]
        #expect(try messages(parts, limit: 5).count == 50)
    }

    @Test func `a message of many parts is looked at once`() throws {
        // Quadratic work over 4 MiB in 64-byte parts would take minutes.
        let part = String(repeating: "x", count: 64)
        let parts = Array(repeating: part, count: 1 << 16) + ["\0"]
        let found = try messages(parts, limit: 4 << 20)
        #expect(found.map(\.utf8.count) == [4 << 20])
    }

    @Test func `what was taken is no longer counted`() throws {
        var splitter = MessageSplitter(limit: 10)
        Array("one\0tw".utf8).withUnsafeBytes { splitter.append($0) }
        #expect(splitter.byteCount == 6)
        #expect(try splitter.next() == Data("one".utf8))
        #expect(splitter.byteCount == 2)
        #expect(try splitter.next() == nil)
    }
}
