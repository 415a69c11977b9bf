/// Decides how many connections fetch one body: more and more, while that is faster.
///
/// The number is multiplied, and the rate before is compared with the best one after. With packet loss a short
/// measurement is a matter of luck, and so is the first one, of a connection that has just begun. Connections
/// that add their share are kept, and after a while more are tried again: rates and bottlenecks vary.
struct SegmentGrowth: Hashable, Sendable {
    private enum Phase: Hashable {
        /// The rate of the present number is being measured.
        case measuring(since: ContinuousClock.Instant, byteCount: Int64)
        /// Further connections are being opened.
        case settling(since: ContinuousClock.Instant)
        /// The rate of the new number is being measured.
        case comparing(Comparison)
        /// The number stays, for a time or permanently.
        case settled(until: ContinuousClock.Instant?)
    }

    /// The rate of a number of connections.
    private struct Comparison: Hashable {
        let start: ContinuousClock.Instant
        let startByteCount: Int64
        var windowStart: ContinuousClock.Instant
        var windowByteCount: Int64
        var bestRate = 0.0

        init(at now: ContinuousClock.Instant, byteCount: Int64) {
            start = now
            startByteCount = byteCount
            windowStart = now
            windowByteCount = byteCount
        }

        /// Ends a window, if it is over.
        mutating func record(
            byteCount: Int64,
            window: Duration,
            at now: ContinuousClock.Instant
        ) -> Bool {
            guard now - windowStart >= window else { return false }
            let rate = SegmentGrowth.rate(of: byteCount - windowByteCount, in: now - windowStart)
            bestRate = max(bestRate, rate)
            windowStart = now
            windowByteCount = byteCount
            return true
        }
    }

    /// The factor that the number is multiplied by.
    private static let factor = 4
    /// The number of windows after which a missing gain is accepted.
    private static let windowLimit = 5

    /// The number of connections to use.
    private(set) var target = 1
    /// The last measured rate, in bytes per second.
    private(set) var rate: Double?

    private let policy: Download.SegmentPolicy
    private var phase: Phase?
    private var previousTarget = 1
    private var previousRate = 0.0
    private var pause = Duration.seconds(2)
    /// The most connections that the server accepts.
    private var ceiling: Int

    init(policy: Download.SegmentPolicy) {
        self.policy = policy
        ceiling = policy.maximumConnections
    }

    /// Evaluates the progress.
    ///
    /// - Parameters:
    ///   - byteCount: The number of received bytes.
    ///   - missing: The number of missing bytes.
    ///   - connections: The number of connections that receive bytes.
    ///   - now: The current time.
    mutating func record(
        byteCount: Int64,
        missing: Int64,
        connections: Int,
        at now: ContinuousClock.Instant
    ) {
        switch phase {
        case nil where policy.window == .zero:
            target = ceiling
            phase = .settled(until: nil)
        case nil:
            phase = .measuring(since: now, byteCount: byteCount)
        case .measuring(let since, let start):
            guard now - since >= policy.window else { return }
            rate = Self.rate(of: byteCount - start, in: now - since)
            phase = .measuring(since: now, byteCount: byteCount)
            if isWorthwhile(missing) { grow(at: now) }
        case .settling(let since):
            // A connection that cannot be opened must not delay the comparison of the others.
            guard connections >= target || now - since >= policy.window * 4 else { return }
            phase = .comparing(Comparison(at: now, byteCount: byteCount))
        case .comparing(var comparison):
            guard comparison.record(byteCount: byteCount, window: policy.window, at: now) else {
                return
            }
            phase = .comparing(comparison)
            compare(comparison, byteCount: byteCount, at: now)
        case .settled(let end):
            guard let end, now >= end else { return }
            phase = nil
        }
    }

    /// Handles connections that were refused because others need them, or lost: more may be possible later.
    mutating func refuse(connections: Int, at now: ContinuousClock.Instant) {
        target = max(1, min(target, connections))
        settle(at: now)
    }

    /// Handles a pause without bytes, which says nothing about how many connections are worth it.
    mutating func interrupt(at now: ContinuousClock.Instant) {
        switch phase {
        case .measuring: phase = nil
        case .settling, .comparing: phase = .settling(since: now)
        case nil, .settled: break
        }
    }

    /// Handles a refusal by the server, which does not accept this many connections.
    mutating func lose(connections: Int) {
        target = max(1, min(target, connections))
        ceiling = target
        phase = .settled(until: nil)
    }

    private mutating func compare(
        _ comparison: Comparison,
        byteCount: Int64,
        at now: ContinuousClock.Instant
    ) {
        let duration = now - comparison.start
        let average = Self.rate(of: byteCount - comparison.startByteCount, in: duration)
        let possible = Double(target - previousTarget) / Double(previousTarget)
        if comparison.bestRate >= previousRate * (1 + policy.requiredGain * possible) {
            rate = average
            return grow(at: now)
        }
        guard duration >= policy.window * Self.windowLimit else { return }
        rate = max(average, previousRate)
        // Keep as many connections as the best rate is worth, at the earlier rate of each.
        let worth = Double(previousTarget) * comparison.bestRate / max(1, previousRate)
        target = min(target, max(previousTarget, Int(min(worth, Double(target)).rounded())))
        settle(at: now)
    }

    /// Keeps the number for a while, longer each time.
    private mutating func settle(at now: ContinuousClock.Instant) {
        phase = .settled(until: now + pause)
        pause *= 2
    }

    private mutating func grow(at now: ContinuousClock.Instant) {
        guard target < ceiling else {
            phase = .settled(until: nil)
            return
        }
        previousTarget = target
        previousRate = rate ?? 0
        target = min(ceiling, target * Self.factor)
        phase = .settling(since: now)
    }

    private func isWorthwhile(_ missing: Int64) -> Bool {
        guard let rate else { return false }
        return Double(missing) / rate >= policy.minimumTimeLeft / .seconds(1)
    }

    private static func rate(of byteCount: Int64, in duration: Duration) -> Double {
        duration > .zero ? Double(byteCount) / (duration / .seconds(1)) : .infinity
    }
}
