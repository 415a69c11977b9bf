import Testing

@testable import FerryWire

@Suite(.timeLimit(.minutes(5))) struct ReplyQueueTests {
    private var queue = ReplyQueue()

    private mutating func add(_ byte: UInt8, to call: Int, isLast: Bool = true) -> [UInt8] {
        queue.add([byte], to: call, isLast: isLast).flatMap(\.self)
    }

    @Test mutating func `replies that are given out of order go out in order`() {
        for call in 1...4 { queue.open(call) }
        #expect(add(3, to: 3) == [])
        #expect(add(2, to: 2) == [])
        #expect(queue.heldByteCount == 2)
        #expect(add(1, to: 1) == [1, 2, 3])
        #expect(queue.heldByteCount == 0)
        #expect(add(4, to: 4) == [4])
    }

    @Test mutating func `a stream in front goes out at once and holds up what is behind it`() {
        for call in 1...3 { queue.open(call) }
        #expect(add(10, to: 1, isLast: false) == [10])
        #expect(add(20, to: 2) == [])
        #expect(add(11, to: 1, isLast: false) == [11])
        #expect(add(12, to: 1) == [12, 20])
        #expect(add(30, to: 3) == [30])
    }

    @Test mutating func `a stream behind another call waits and then goes on`() {
        for call in 1...3 { queue.open(call) }
        #expect(add(20, to: 2, isLast: false) == [])
        #expect(add(21, to: 2, isLast: false) == [])
        #expect(add(30, to: 3) == [])
        #expect(add(10, to: 1) == [10, 20, 21])
        #expect(queue.heldByteCount == 1)
        #expect(add(22, to: 2, isLast: false) == [22])
        #expect(add(23, to: 2) == [23, 30])
        #expect(queue.heldByteCount == 0)
    }

    @Test mutating func `a reply to a call that has been answered is dropped`() {
        queue.open(1)
        queue.open(2)
        #expect(add(2, to: 2) == [])
        #expect(add(3, to: 2) == [])
        #expect(add(1, to: 1) == [1, 2])
        #expect(add(4, to: 1) == [])
        #expect(add(5, to: 7) == [])
        #expect(queue.heldByteCount == 0)
    }
}
