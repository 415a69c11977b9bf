import Testing

@testable import FerryHTTP

@Suite(.timeLimit(.minutes(1)))
struct BodyPieceSizeTests {
    /// The sizes, in KiB, of the pieces of a connection that takes each in the next of some times, in milliseconds.
    private func sizes(_ times: [Int]) -> [Int] {
        var size = BodyPieceSize()
        var now = ContinuousClock.now
        return [size.byteCount >> 10]
            + times.map { time in
                size.gave(at: now)
                now = now + .milliseconds(time)
                size.asked(at: now)
                return size.byteCount >> 10
            }
    }

    @Test(arguments: [
        ([], [64]),
        ([1], [64, 128]),
        ([0, 0, 0, 0], [64, 128, 256, 256, 256]),
        ([49, 50], [64, 128, 64]),
        ([50, 1000], [64, 64, 64]),
        ([0, 0, 0, 70, 60_000, 70, 0], [64, 128, 256, 256, 128, 64, 64, 128]),
    ])
    func `pieces of a body are as long as the connection is fast`(times: [Int], expected: [Int]) {
        #expect(sizes(times) == expected)
    }

    @Test func `a connection that was given nothing is neither fast nor slow`() {
        var size = BodyPieceSize()
        let start = ContinuousClock.now
        for time in 0..<10 { size.asked(at: start + .milliseconds(time)) }
        #expect(size.byteCount == BodyPieceSize.least)
        size.gave(at: start)
        size.asked(at: start)
        size.asked(at: start + .seconds(9))
        #expect(size.byteCount == 2 * BodyPieceSize.least)
    }
}
