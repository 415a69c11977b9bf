import Foundation
import Testing

@testable import Ferry

@Suite("The way of bytes to their reader", .timeLimit(.minutes(1)))
struct ByteStreamTests {
    private let taken = Awaited<[Int]>([])
    private let abandonedCount = Awaited(0)

    private func makeStream() -> ByteStream {
        ByteStream(
            whenTaken: { [taken] count in taken.change { $0.append(count) } },
            whenAbandoned: { [abandonedCount] in abandonedCount.change { $0 += 1 } }
        )
    }

    @Test func `pieces come in order, and then the end`() async throws {
        let stream = makeStream()
        for text in ["one", "", "three"] { stream.append(Data(text.utf8)) }
        #expect(taken.value.isEmpty)
        stream.finish(nil)
        stream.append(Data("late".utf8))
        #expect(try await stream.next() == Data("one".utf8))
        #expect(taken.value == [3])
        #expect(try await stream.next() == Data("three".utf8))
        #expect(try await stream.next() == nil)
        #expect(try await stream.next() == nil)
        #expect(taken.value == [3, 5])
        #expect(abandonedCount.value == 0)
    }

    @Test func `an error comes behind the pieces, once`() async throws {
        let stream = makeStream()
        stream.append(Data("one".utf8))
        stream.finish(URLError(.networkConnectionLost))
        stream.finish(nil)
        #expect(try await stream.next() == Data("one".utf8))
        await #expect(throws: URLError(.networkConnectionLost)) { try await stream.next() }
        #expect(try await stream.next() == nil)
    }

    @Test(arguments: 0..<20)
    func `a reader waits for the next piece, the end or an error`(round: Int) async throws {
        let stream = makeStream()
        async let piece = stream.next()
        if round % 2 == 0 { await Task.yield() }
        stream.append(Data("one".utf8))
        #expect(try await piece == Data("one".utf8))
        #expect(taken.value == [3])
        async let end = stream.next()
        if round % 2 == 0 { await Task.yield() }
        stream.finish(nil)
        #expect(try await end == nil)

        let failing = makeStream()
        let reader = Task { try await failing.next() }
        if round % 2 == 0 { await Task.yield() }
        failing.finish(URLError(.timedOut))
        await #expect(throws: URLError(.timedOut)) { try await reader.value }
    }

    @Test(arguments: [true, false])
    func `DL-29: a reader that is cancelled abandons the stream`(isWaiting: Bool) async throws {
        let stream = makeStream()
        let hasBegun = Signal()
        let reader = Task {
            hasBegun.give()
            return try await stream.next()
        }
        if isWaiting { await hasBegun.wait() }
        reader.cancel()
        await expectURLError(.cancelled) { try await reader.value }
        #expect(abandonedCount.value == 1)
        stream.append(Data("late".utf8))
        stream.finish(URLError(.timedOut))
        stream.abandon()
        #expect(try await stream.next() == nil)
        #expect(abandonedCount.value == 1)
        #expect(taken.value.isEmpty)
    }

    @Test func `DL-29: a reader that never waits is cancelled, too`() async throws {
        let stream = makeStream()
        stream.append(Data("one".utf8))
        let reader = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await stream.next()
        }
        await expectURLError(.cancelled) { try await reader.value }
        #expect(abandonedCount.value == 1)
        #expect(taken.value.isEmpty)
    }

    @Test func `what is there completely is read in spite of being cancelled`() async throws {
        let stream = makeStream()
        stream.append(Data("one".utf8))
        stream.finish(nil)
        let reader = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await stream.next()
        }
        #expect(try await reader.value == Data("one".utf8))
        #expect(abandonedCount.value == 0)
    }

    @Test func `several readers share the pieces and the end`() async throws {
        let stream = makeStream()
        let total = try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    var count = 0
                    while let data = try await stream.next() { count += data.count }
                    return count
                }
            }
            for _ in 0..<1000 {
                stream.append(Data([1, 2, 3]))
                if Bool.random() { await Task.yield() }
            }
            stream.finish(nil)
            return try await group.reduce(0, +)
        }
        #expect(total == 3000)
        #expect(taken.value == Array(repeating: 3, count: 1000))
    }

    @Test func `long streams keep their order`() async throws {
        let stream = makeStream()
        let writer = Task {
            for number in 0..<10_000 {
                stream.append(Data("\(number)\n".utf8))
                if number % 100 == 0 { await Task.yield() }
            }
            stream.finish(nil)
        }
        var all = Data()
        while let data = try await stream.next() { all += data }
        await writer.value
        #expect(all == Data((0..<10_000).map { "\($0)\n" }.joined().utf8))
        #expect(taken.value.reduce(0, +) == all.count)
    }
}
