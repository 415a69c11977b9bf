import Foundation
import Testing

@testable import Ferry

@Suite("URLSession.AsyncBytes", .timeLimit(.minutes(1)))
struct AsyncBytesTests {
    private let session = URLSession(configuration: .ephemeral)
    private let taken = Awaited(0)
    private let isAbandoned = Awaited(false)

    private func makeStream() -> ByteStream {
        ByteStream(
            whenTaken: { [taken] count in taken.change { $0 += count } },
            whenAbandoned: { [isAbandoned] in isAbandoned.change { $0 = true } }
        )
    }

    private func makeTask() -> URLSessionDataTask {
        URLSessionDataTask(
            identifier: 1,
            core: session.core,
            backend: RefusingBackend(error: URLError(.unsupportedURL)),
            recipient: .delegate,
            storage: URLSessionTask.Storage()
        )
    }

    private func bytes(_ stream: ByteStream) -> URLSession.AsyncBytes {
        URLSession.AsyncBytes(stream: stream, task: makeTask())
    }

    @Test func `DL-32: bytes come as they were sent, and lines of them`() async throws {
        let stream = makeStream()
        let task = makeTask()
        let bytes = URLSession.AsyncBytes(stream: stream, task: task)
        #expect(bytes.task === task)
        for text in ["o", "ne\ntw", "o\n"] { stream.append(Data(text.utf8)) }
        stream.finish(nil)
        #expect(try await bytes.lines.collected() == ["one", "two"])
        #expect(try await bytes.collected() == [])
    }

    @Test(arguments: 1...12)
    func `DL-32: text is the same wherever the body is cut in pieces`(byteCount: Int) async throws {
        let text = "one\r\n\r\ntwo\u{85}¢\u{2028}e\u{301}€\u{2029}\u{1F1E9}\u{1F1EA}\u{b}\u{c}last"
        let body = Array(text.utf8) + [0xe2, 0x80]
        func cut() -> URLSession.AsyncBytes {
            let stream = makeStream()
            for start in stride(from: 0, to: body.count, by: byteCount) {
                stream.append(Data(body[start..<min(start + byteCount, body.count)]))
            }
            stream.finish(nil)
            return bytes(stream)
        }
        let whole = String(decoding: body, as: UTF8.self)
        let lines = ["one", "two", "¢", "e\u{301}€", "\u{1F1E9}\u{1F1EA}", "last\u{fffd}"]
        #expect(try await cut().lines.collected() == lines)
        #expect(try await cut().unicodeScalars.collected() == Array(whole.unicodeScalars))
        #expect(try await cut().characters.collected() == Array(whole))
        #expect(try await cut().collected() == body)
    }

    @Test func `DL-32: a copy of an iterator goes on where the other one is`() async throws {
        let stream = makeStream()
        stream.append(Data("one\ntwo".utf8))
        stream.finish(nil)
        var iterator = bytes(stream).makeAsyncIterator()
        var copy = iterator
        #expect(try await iterator.next() == UInt8(ascii: "o"))
        #expect(try await copy.next() == UInt8(ascii: "n"))
        #expect(try await iterator.next() == UInt8(ascii: "e"))
    }

    @Test func `DL-32: a long body comes whole`() async throws {
        let stream = makeStream()
        let pieces = (0..<300).map { number in
            Data((0..<(number * 7 % 1000)).map { UInt8(truncatingIfNeeded: $0 &* number) })
        }
        let writer = Task {
            for piece in pieces {
                stream.append(piece)
                if piece.count % 3 == 0 { await Task.yield() }
            }
            stream.finish(nil)
        }
        #expect(try await Data(bytes(stream).collected()) == pieces.reduce(Data(), +))
        await writer.value
        #expect(taken.value == pieces.map(\.count).reduce(0, +))
        #expect(!isAbandoned.value)
    }

    @Test func `DL-32: nothing is taken before it is read, so that the server waits`() async throws
    {
        let stream = makeStream()
        var iterator = bytes(stream).makeAsyncIterator()
        for _ in 0..<3 { stream.append(Data([1, 2])) }
        #expect(taken.value == 0)
        _ = try await iterator.next()
        #expect(taken.value == 2)
        _ = try await iterator.next()
        #expect(taken.value == 2)
        _ = try await iterator.next()
        #expect(taken.value == 4)
    }

    @Test func `DL-32: an error is thrown behind the bytes, and then it is the end`() async throws {
        let stream = makeStream()
        stream.append(Data([1]))
        stream.finish(URLError(.networkConnectionLost))
        var iterator = bytes(stream).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        await #expect(throws: URLError(.networkConnectionLost)) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func `DL-32: it can be gone through once`() async throws {
        let stream = makeStream()
        let bytes = bytes(stream)
        stream.append(Data([1, 2]))
        stream.append(Data([3]))
        stream.finish(nil)
        var first = bytes.makeAsyncIterator()
        #expect(try await first.next() == 1)
        #expect(try await bytes.collected() == [3])
        #expect(try await first.next() == 2)
        #expect(try await first.next() == nil)
    }

    @Test func `DL-29: cancelling the Swift task abandons the rest`() async throws {
        let stream = makeStream()
        let bytes = bytes(stream)
        let hasRead = Signal()
        let reader = Task {
            for try await _ in bytes { hasRead.give() }
        }
        stream.append(Data([1]))
        await hasRead.wait()
        reader.cancel()
        await expectURLError(.cancelled) { try await reader.value }
        #expect(isAbandoned.value)
    }

    @Test func `the rest is abandoned when nobody can read it any more`() async throws {
        let stream = makeStream()
        stream.append(Data([1, 2]))
        func read() async throws {
            let bytes = bytes(stream)
            let copy = bytes
            for try await byte in bytes {
                #expect(byte == 1)
                break
            }
            #expect(!isAbandoned.value)
            withExtendedLifetime(copy) {}
        }
        try await read()
        #expect(isAbandoned.value)
    }

    @Test func `an iterator alone keeps the stream`() async throws {
        let stream = makeStream()
        var iterator: URLSession.AsyncBytes.AsyncIterator? = bytes(stream).makeAsyncIterator()
        stream.append(Data([1]))
        #expect(try await iterator?.next() == 1)
        #expect(!isAbandoned.value)
        iterator = nil
        #expect(isAbandoned.value)
    }

    @Test func `a stream that has ended is not abandoned`() async throws {
        let stream = makeStream()
        do {
            let bytes = bytes(stream)
            stream.append(Data([1]))
            stream.finish(nil)
            withExtendedLifetime(bytes) {}
        }
        #expect(!isAbandoned.value)
    }
}
