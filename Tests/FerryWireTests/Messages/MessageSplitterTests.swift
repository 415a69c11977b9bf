import FerrySystem
import Foundation
import FoundationEssentials
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

@Suite(.timeLimit(.minutes(5))) struct OutputBufferTests {
    @Test func `bytes go out in order, as many as are taken`() throws {
        var buffer = OutputBuffer()
        var sent: [UInt8] = []
        var room = 3
        func drain() throws {
            try buffer.drain { (bytes) throws(SystemCallError) in
                let count = min(room, bytes.count)
                room -= count
                sent += bytes[..<count]
                return count == 0 ? nil : count
            }
        }
        buffer.append([1, 2])
        buffer.append([3, 4, 5, 6, 7])
        try drain()
        #expect(sent == [1, 2, 3])
        #expect(buffer.byteCount == 4)
        buffer.append([8])
        room = 3
        try drain()
        #expect(sent == [1, 2, 3, 4, 5, 6])
        room = 9
        try drain()
        #expect(sent == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(buffer.byteCount == 0)
    }

    @Test func `bytes that were not taken survive an error`() {
        var buffer = OutputBuffer()
        buffer.append([1, 2, 3])
        let broken = SystemCallError(call: "sendmsg", errno: 32)
        #expect(throws: broken) {
            try buffer.drain { (_) throws(SystemCallError) in throw broken }
        }
        #expect(buffer.byteCount == 3)
    }
}
