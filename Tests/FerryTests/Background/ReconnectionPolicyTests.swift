import Testing

@testable import Ferry

@Suite(.timeLimit(.minutes(1))) struct ReconnectionPolicyTests {
    private var policy = ReconnectionPolicy()

    /// The longest that lots give.
    private static func greatest(_ range: ClosedRange<Double>) -> Double { range.upperBound }

    @Test mutating func `each attempt in vain doubles the delay, up to half a minute`() {
        let delays = (0..<12).map { _ in policy.failed(random: Self.greatest) }
        #expect(delays.prefix(4) == [.seconds(0.1), .seconds(0.2), .seconds(0.4), .seconds(0.8)])
        #expect(delays.suffix(2) == [.seconds(30), .seconds(30)])
    }

    @Test mutating func `TEST-9: behind a good connection the daemon is tried again at once`() {
        for _ in 0..<12 { _ = policy.failed(random: Self.greatest) }
        #expect(policy.lost(after: .seconds(10), random: Self.greatest) == .zero)
        // And from there on as from the beginning.
        #expect(policy.failed(random: Self.greatest) == .seconds(0.2))
    }

    @Test mutating func `TEST-9: a daemon that dies again and again is given more and more time`() {
        #expect(policy.lost(after: .seconds(1), random: Self.greatest) == .zero)
        #expect(policy.lost(after: .seconds(1), random: Self.greatest) == .seconds(0.2))
        #expect(policy.lost(after: .seconds(9), random: Self.greatest) == .seconds(0.4))
        #expect(policy.lost(after: .seconds(10), random: Self.greatest) == .zero)
        #expect(policy.lost(after: .seconds(1), random: Self.greatest) == .seconds(0.2))
    }
}
