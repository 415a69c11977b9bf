import Testing

@testable import FerryHTTP

@Suite(.timeLimit(.minutes(5))) struct WebSocketQueueTests {
    @Test func `what went in first comes out first, whatever the order of calls`() {
        var queue = WebSocketQueue<Int>()
        var next = 0
        var expected = 0
        for round in 0..<100 {
            for _ in 0...(round % 7) {
                queue.append(next)
                next += 1
            }
            for _ in 0...(round % 5) where !queue.isEmpty {
                #expect(queue.first == expected)
                #expect(queue.popFirst() == expected)
                expected += 1
            }
        }
        #expect(queue.takeAll() == Array(expected..<next))
        #expect(queue.isEmpty && queue.first == nil && queue.popFirst() == nil)
    }
}
