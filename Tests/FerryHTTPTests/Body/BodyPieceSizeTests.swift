import Testing

@testable import FerryHTTP

@Suite(.timeLimit(.minutes(1)))
struct BodyPieceSizeTests {
    /// The sizes, in KiB, of the pieces of a connection that takes each in the next of some times, in milliseconds.
    private func sizes(_ times: [Int]) -> [Int] {
        var size = BodyPieceSize()
        var now = ContinuousClock.now
        return [size.next(at: now) >> 10]
            + times.map { time in
                now = now + .milliseconds(time)
                return size.next(at: now) >> 10
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
}
