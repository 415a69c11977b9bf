import Testing

@testable import FerryHTTP

@Suite(.timeLimit(.minutes(5))) struct WebSocketFramerTests {
    private let framer: WebSocketFramer

    init() throws {
        framer = try WebSocketFramer(maximumMessageByteCount: 1000)
    }

    private func receive(_ bytes: [UInt8]) -> [WebSocketFramer.Event] {
        bytes.withUnsafeBytes { framer.receive($0) }
    }

    /// The frames that are to be sent.
    private func sent() throws -> [RawFrame] {
        framer.fillOutput()
        let bytes = Array(framer.output.bytes)
        framer.output.sent(bytes.count)
        return try RawFrame.parse(bytes)
    }

    @Test func `a text and a binary message arrive, in whatever pieces`() {
        let bytes = RawFrame.text("hellö").bytes + RawFrame(opcode: 2, [0, 255]).bytes
        let expected: [WebSocketFramer.Event] = [
            .message(.text("hellö")), .message(.binary([0, 255])),
        ]
        #expect(receive(bytes) == expected)
        #expect(bytes.flatMap { receive([$0]) } == expected)
    }

    @Test func `an empty message is a message`() {
        #expect(receive(RawFrame.text("").bytes) == [.message(.text(""))])
        #expect(receive(RawFrame(opcode: 2, []).bytes) == [.message(.binary([]))])
    }

    @Test func `fragments become one message, with control frames in between`() throws {
        let halves = Array("ö".utf8)
        let bytes =
            RawFrame(isLast: false, opcode: 1, [halves[0]]).bytes + RawFrame(opcode: 9, [7]).bytes
            + RawFrame(isLast: false, opcode: 0, []).bytes + RawFrame(opcode: 10, [8]).bytes
            + RawFrame(opcode: 0, [halves[1]]).bytes
        #expect(receive(bytes) == [.pong([8]), .message(.text("ö"))])
        let pongs = try sent()
        #expect(pongs.map(\.opcode) == [10])
        #expect(pongs.map(\.body) == [[7]])
        #expect(pongs.allSatisfy { $0.isMasked })
    }

    @Test(arguments: [
        RawFrame(opcode: 1, [0xFF]).bytes,
        RawFrame(opcode: 1, [0xC3]).bytes,
        RawFrame(opcode: 1, [0xED, 0xA0, 0x80]).bytes,
        RawFrame(opcode: 3, []).bytes,
        RawFrame(opcode: 0, [1]).bytes,
        RawFrame(isLast: false, opcode: 9, []).bytes,
        RawFrame(opcode: 9, [UInt8](repeating: 0, count: 126)).bytes,
        RawFrame(opcode: 1, reserved: 4, []).bytes,
        RawFrame(opcode: 1, mask: [1, 2, 3, 4], [1]).bytes,
        RawFrame(isLast: false, opcode: 1, []).bytes + RawFrame.text("").bytes,
        RawFrame(opcode: 8, [0x03, 0xED]).bytes,
        RawFrame(opcode: 8, [0x03, 0xE8, 0xFF]).bytes,
        [0x82, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        [0x82, 126, 0, 1, 0],
    ])
    func `a breach of the protocol is a failure, and nothing follows`(bytes: [UInt8]) throws {
        let events = receive(bytes + RawFrame.text("late").bytes)
        guard case .failure(let error)? = events.first, events.count == 1 else {
            Issue.record("\(events)")
            return
        }
        #expect(error.code == .protocolViolation)
        #expect(receive(RawFrame.text("later").bytes) == [])
        #expect(try sent().map(\.opcode) == [8])
    }

    @Test func `a message beyond the limit is a failure that the server is told`() throws {
        let events = receive(RawFrame(opcode: 2, [UInt8](repeating: 0, count: 1001)).bytes)
        guard case .failure(let error)? = events.first else {
            Issue.record("\(events)")
            return
        }
        #expect(error.code == .messageTooBig)
        #expect(try sent().map(\.body) == [[0x03, 0xF1]])
    }

    @Test func `the limit counts all fragments, before they come`() {
        let part = [UInt8](repeating: 0, count: 600)
        let bytes = RawFrame(isLast: false, opcode: 2, part).bytes
        #expect(receive(bytes) == [])
        let head = RawFrame(opcode: 0, part).bytes.prefix(5)
        guard case .failure(let error)? = receive(Array(head)).first else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .messageTooBig)
    }

    @Test func `a small limit leaves control frames alone`() throws {
        let framer = try WebSocketFramer(maximumMessageByteCount: 2)
        func receive(_ frame: RawFrame) -> [WebSocketFramer.Event] {
            frame.bytes.withUnsafeBytes { framer.receive($0) }
        }
        let body = [UInt8](repeating: 1, count: 125)
        #expect(receive(RawFrame(opcode: 10, body)) == [.pong(body)])
        #expect(receive(.text("ab")) == [.message(.text("ab"))])
        guard case .failure(let error)? = receive(.text("abc")).first else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .messageTooBig)
    }

    @Test(arguments: [1000, 1001, 1011, 1012, 1013, 1014, 3000, 4999] as [UInt16])
    func `a goodbye has its code and its reason`(code: UInt16) {
        let body = [UInt8(code >> 8), UInt8(code & 0xFF)] + Array("bye".utf8)
        let bytes = RawFrame(opcode: 8, body).bytes + RawFrame.text("late").bytes
        #expect(receive(bytes) == [.close(code: code, reason: Array("bye".utf8))])
    }

    @Test func `a goodbye without a code is answered by one`() throws {
        #expect(receive(RawFrame(opcode: 8, []).bytes) == [.close(code: nil, reason: [])])
        let answers = try sent()
        #expect(answers.map(\.opcode) == [8])
        #expect(answers.map(\.body) == [[]])
    }

    @Test func `messages go out masked, each with another mask`() throws {
        let bodies = (0..<20).map { [UInt8](repeating: $0, count: 100) }
        for body in bodies { #expect(framer.queue(.message(.binary(body)))) }
        let frames = try sent()
        #expect(frames.map(\.body) == bodies)
        #expect(frames.allSatisfy { $0.opcode == 2 && $0.isMasked })
        #expect(Set(frames.map(\.mask)).count == 20)
    }

    @Test func `pongs that do not leave are a reason to read no more`() throws {
        // Messages that do not leave are none.
        #expect(framer.queue(.message(.binary([UInt8](repeating: 0, count: 1 << 20)))))
        framer.fillOutput()
        #expect(!framer.isClogged)
        _ = receive((0..<100).flatMap { RawFrame(opcode: 9, [$0]).bytes })
        #expect(framer.isClogged)
        while framer.hasQueue || !framer.output.isEmpty {
            framer.fillOutput()
            framer.output.sent(framer.output.bytes.count)
        }
        #expect(!framer.isClogged)
    }

    @Test func `nothing goes out after a goodbye`() throws {
        #expect(framer.queue(.ping([9])))
        #expect(try sent().map(\.opcode) == [9])
        #expect(framer.queue(.close(code: 1000, reason: Array("done".utf8))))
        #expect(!framer.queue(.message(.text("late"))))
        let frames = try sent()
        #expect(frames.map(\.opcode) == [8])
        #expect(frames.first?.body == [0x03, 0xE8] + Array("done".utf8))
        #expect(!framer.hasQueue)
    }

    @Test(arguments: [0, 125, 126, 65_535, 65_536, 300_000])
    func `a message of any length goes out as one frame`(count: Int) throws {
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        #expect(framer.queue(.message(.binary(message))))
        var bytes: [UInt8] = []
        while framer.hasQueue || !framer.output.isEmpty {
            framer.fillOutput()
            bytes += Array(framer.output.bytes)
            framer.output.sent(framer.output.bytes.count)
        }
        let frames = try RawFrame.parse(bytes)
        #expect(frames.count == 1)
        #expect(frames.first?.opcode == 2)
        #expect(frames.first?.body == message)
        #expect(framer.output.appendedByteCount == framer.output.sentByteCount)
    }
}
