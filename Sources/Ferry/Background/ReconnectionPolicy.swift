/// How long to wait before the daemon is tried again.
struct ReconnectionPolicy {
    private static let firstDelay = Duration.milliseconds(100)
    private static let greatestDelay = Duration.seconds(30)
    /// A connection that lasted this long was a good one.
    private static let goodDuration = Duration.seconds(10)

    /// The number of consecutive failures.
    private(set) var failureCount = 0

    /// Returns the delay after a failed attempt: growing and random, so that the clients of a daemon that has
    /// died do not all reconnect at once.
    mutating func failed(
        random: (ClosedRange<Double>) -> Double = { .random(in: $0) }
    ) -> Duration {
        let doubled = Self.firstDelay * (1 << min(failureCount, 20))
        failureCount += 1
        return min(doubled, Self.greatestDelay) * random(0.5...1)
    }

    /// The daemon works.
    ///
    /// The next delay is a short one, but there is one: its work may be what ends it.
    mutating func succeeded() { failureCount = min(failureCount, 1) }

    /// Returns the delay after a connection has lasted a while: none, if it was a good one.
    mutating func lost(
        after duration: Duration,
        random: (ClosedRange<Double>) -> Double = { .random(in: $0) }
    ) -> Duration {
        if duration >= Self.goodDuration { failureCount = 0 }
        guard failureCount > 0 else {
            failureCount = 1
            return .zero
        }
        return failed(random: random)
    }
}
