import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct SegmentGrowthTests {
    /// A body that comes at a rate that depends on the number of connections.
    private struct Link {
        var growth: SegmentGrowth
        var byteCount: Int64 = 0
        var missing: Int64
        var now = ContinuousClock.now
        var targets = [1]
        /// How long further connections take to bring their first byte.
        var delay = Duration.milliseconds(50)

        init(_ policy: Download.SegmentPolicy = .init(maximumConnections: 16), missing: Int64) {
            growth = SegmentGrowth(policy: policy)
            self.missing = missing
        }

        mutating func run(for duration: Duration, rate: (Int) -> Int64) {
            let step = Duration.milliseconds(10)
            var connections = growth.target
            var sinceChange = Duration.zero
            var left = duration
            while left > .zero {
                if sinceChange >= delay { connections = growth.target }
                let count = min(missing, rate(connections) / 100)
                byteCount += count
                missing -= count
                now += step
                left -= step
                sinceChange += step
                growth.record(
                    byteCount: byteCount,
                    missing: missing,
                    connections: connections,
                    at: now
                )
                if growth.target != targets.last {
                    targets.append(growth.target)
                    sinceChange = .zero
                }
            }
        }
    }

    @Test func `the number is multiplied as long as the rate grows with it`() {
        var link = Link(missing: 1 << 30)
        link.run(for: .seconds(5)) { Int64($0) * 400_000 }
        #expect(link.targets == [1, 4, 16])
    }

    @Test func `what brings nothing is taken back`() {
        var link = Link(missing: 1 << 30)
        link.run(for: .seconds(4)) { _ in 4_000_000 }
        #expect(link.targets == [1, 4, 1])
    }

    @Test func `of those that are tried as many are kept as are worth it`() {
        var link = Link(missing: 1 << 30)
        link.run(for: .seconds(4)) { min(Int64($0) * 1_000_000, 1_600_000) }
        #expect(link.targets == [1, 4, 2])
    }

    @Test func `a measurement that was bad luck is not the last word`() {
        var link = Link(missing: 1 << 30)
        var steps = 0
        link.run(for: .seconds(4)) { connections in
            steps += 1
            let isUnlucky = (45..<130).contains(steps)
            return isUnlucky ? 300_000 : Int64(connections) * 400_000
        }
        #expect(link.targets.max() == 16)
    }

    @Test func `growth ends where the rate does`() {
        var link = Link(missing: 1 << 30)
        link.run(for: .seconds(5)) { min(Int64($0) * 1_000_000, 4_000_000) }
        #expect(link.targets == [1, 4, 16, 4])
        #expect(link.growth.rate == 4_000_000)
    }

    @Test func `it is tried again later, less and less often`() {
        var link = Link(missing: 1 << 40)
        link.run(for: .seconds(60)) { _ in 4_000_000 }
        #expect(link.targets == [1, 4, 1, 4, 1, 4, 1, 4, 1, 4, 1])
    }

    @Test func `a body that is as good as there gets no further connection`() {
        var link = Link(missing: 10_000_000)
        link.run(for: .seconds(5)) { _ in 8_000_000 }
        #expect(link.targets == [1])
    }

    @Test func `the greatest number is kept, also where it is no power of two`() {
        var link = Link(.init(maximumConnections: 6), missing: 1 << 30)
        link.run(for: .seconds(6)) { Int64($0) * 400_000 }
        #expect(link.targets == [1, 4, 6])
    }

    @Test func `a connection that never comes does not end the growth of the others' share`() {
        var link = Link(missing: 1 << 30)
        link.delay = .seconds(100)
        link.run(for: .seconds(5)) { Int64($0) * 400_000 }
        #expect(link.targets == [1, 4, 1])
    }

    @Test func `where there is no room the number stays for a while`() {
        var link = Link(missing: 1 << 40)
        link.run(for: .milliseconds(450)) { Int64($0) * 400_000 }
        #expect(link.growth.target == 4)
        link.growth.refuse(connections: 1, at: link.now)
        link.run(for: .seconds(1.9)) { Int64($0) * 400_000 }
        #expect(link.growth.target == 1)
        link.run(for: .seconds(1)) { Int64($0) * 400_000 }
        #expect(link.growth.target > 1)
    }

    @Test func `a time in which nothing comes is not taken for the connections' fault`() {
        var link = Link(missing: 1 << 40)
        link.run(for: .seconds(1)) { Int64($0) * 400_000 }
        let target = link.growth.target
        link.now += .seconds(30)
        link.growth.interrupt(at: link.now)
        link.run(for: .seconds(5)) { Int64($0) * 400_000 }
        #expect(target > 1)
        #expect(link.targets == [1, 4, 16])
    }

    @Test func `after a connection has failed there are no further ones`() {
        var link = Link(missing: 1 << 40)
        link.run(for: .seconds(1)) { Int64($0) * 400_000 }
        link.growth.lose(connections: 1)
        link.run(for: .seconds(100)) { Int64($0) * 400_000 }
        #expect(link.growth.target == 1)
    }

    @Test
    func `a server that wants no more is not asked for more after a connection was lost, too`() {
        var link = Link(missing: 1 << 40)
        link.run(for: .seconds(1)) { Int64($0) * 400_000 }
        link.growth.lose(connections: 2)
        link.growth.refuse(connections: 1, at: link.now)
        link.run(for: .seconds(100)) { Int64($0) * 400_000 }
        #expect(link.growth.target <= 2)
    }
}
