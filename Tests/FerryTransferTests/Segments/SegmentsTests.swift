import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct SegmentsTests {
    private let policy = Download.SegmentPolicy(maximumConnections: 4, minimumSegmentBytes: 100)

    /// A first connection that has brought 1000 of 10 000 bytes.
    private func segments() -> Segments {
        var segments = Segments(totalByteCount: 10_000, unassigned: ByteRanges())
        segments[0] = .begun(at: 1000, limit: 10_000, end: 10_000)
        return segments
    }

    @Test func `another connection takes the end of what the first is on its way to`() {
        var segments = segments()
        #expect(segments.take(policy, connections: 2, rate: nil) == 7750..<10_000)
        #expect(segments[0]?.limit == 7750)
        #expect(segments[0]?.end == 10_000)
    }

    @Test func `parts get smaller towards the end, and none is too small`() throws {
        var segments = segments()
        var sizes: [Int64] = []
        while let range = segments.take(policy, connections: 4, rate: nil) {
            sizes.append(range.byteCount)
        }
        #expect(sizes == sizes.sorted(by: >))
        #expect(try #require(sizes.last) >= 100)
        #expect(try #require(segments[0]).missing >= 100)
        #expect(sizes.reduce(0, +) + (try #require(segments[0])).missing == 9000)
    }

    @Test func `no part keeps a connection busy for too long`() {
        var segments = segments()
        let range = segments.take(policy, connections: 1, rate: 100)
        #expect(range?.byteCount == 800)
    }

    @Test func `what is in flight already is not asked for again`() {
        var segments = segments()
        // One second's worth is 10 000 bytes.
        #expect(segments.take(policy, connections: 2, rate: 10_000) == nil)
        #expect(segments[0]?.limit == 10_000)
    }

    @Test func `nor is a part so small that its request would take longer`() {
        var segments = segments()
        // A quarter of a second's worth is 2000 bytes.
        #expect(segments.take(policy, connections: 16, rate: 8000) == 8000..<10_000)
    }

    @Test func `what a lost connection has left comes first`() {
        var segments = segments()
        segments[0]?.limit = 5000
        segments[1] = .begun(at: 5000, limit: 5300, end: 5300)
        segments[1]?.position = 5200
        #expect(segments.end(1)?.position == 5200)
        #expect(segments.unassigned.ranges == [5200..<5300])
        #expect(segments.take(policy, connections: 2, rate: nil) == 5200..<5300)
        #expect(segments.unassigned.isEmpty)
    }

    @Test func `a connection that was asked for more goes on where nobody else does`() {
        var segments = segments()
        segments[0]?.limit = 5000
        segments.giveBack(5000..<6000)
        let goesOn = segments.extend(0)
        #expect(goesOn)
        #expect(segments[0]?.limit == 6000)
        #expect(segments.unassigned.isEmpty)
        let goesOnAgain = segments.extend(0)
        #expect(!goesOnAgain)
    }

    @Test func `a connection goes on no further than its server sends`() {
        var segments = Segments(totalByteCount: 10_000, unassigned: ByteRanges([5000..<10_000]))
        segments[0] = .begun(at: 1000, limit: 5000, end: 6000)
        let goesOn = segments.extend(0)
        #expect(goesOn)
        #expect(segments[0]?.limit == 6000)
        #expect(segments.unassigned.ranges == [6000..<10_000])
    }

    @Test func `nobody takes from a connection that was not answered`() {
        var segments = segments()
        segments[0]?.isReceiving = false
        let range = segments.take(policy, connections: 2, rate: nil)
        #expect(range == nil)
    }

    @Test func `a gap leaves no crumbs`() {
        var segments = Segments(totalByteCount: 1000, unassigned: ByteRanges([0..<190]))
        #expect(segments.take(policy, connections: 4, rate: nil) == 0..<190)
    }

    @Test func `what is written is all that nobody has still to fetch`() {
        var segments = segments()
        segments[0]?.limit = 8000
        segments[1] = .begun(at: 8000, limit: 9000, end: 9000)
        segments[1]?.position = 8500
        segments.giveBack(9500..<10_000)
        #expect(segments.written.ranges == [0..<1000, 8000..<8500, 9000..<9500])
        #expect(segments.missing == 7000 + 500 + 500)
    }
}
