/// Decides how many connections fetch one body: more and more, while that makes it come faster.
///
/// The number is doubled, and the rate before is compared with the rate after. What brings less than its share
/// is taken back, and after a while tried again: rates vary, and so does what is in the way.
struct SegmentGrowth: Hashable, Sendable {
    private enum Phase: Hashable {
        /// The rate of the present number is being measured.
        case measuring(since: ContinuousClock.Instant, byteCount: Int64)
        /// Further connections are on their way.
        case settling(since: ContinuousClock.Instant)
        /// What they bring is being measured.
        case comparing(since: ContinuousClock.Instant, byteCount: Int64)
        /// The number stays, for a time or for good.
        case settled(until: ContinuousClock.Instant?)
    }

    /// How many connections there are to be.
    private(set) var target = 1
    /// How many bytes came in a second when that was measured last.
    private(set) var rate: Double?

    private let policy: Download.SegmentPolicy
    private var phase: Phase?
    private var previousTarget = 1
    private var previousRate = 0.0
    private var pause = Duration.seconds(8)

    init(policy: Download.SegmentPolicy) {
        self.policy = policy
    }

    /// Looks at what has come by now.
    ///
    /// - Parameters:
    ///   - byteCount: How many bytes there are.
    ///   - missing: How many are still to come.
    ///   - connections: How many connections bring any.
    ///   - now: The time.
    mutating func note(
        byteCount: Int64,
        missing: Int64,
        connections: Int,
        at now: ContinuousClock.Instant
    ) {
        switch phase {
        case nil where policy.window == .zero:
            target = policy.maximumConnections
            phase = .settled(until: nil)
        case nil:
            phase = .measuring(since: now, byteCount: byteCount)
        case .measuring(let since, let start):
            guard now - since >= policy.window else { return }
            rate = Self.rate(of: byteCount - start, in: now - since)
            phase = .measuring(since: now, byteCount: byteCount)
            if isWorthwhile(missing) { grow(at: now) }
        case .settling(let since):
            // A connection that cannot be made must not keep the others from being judged.
            guard connections >= target || now - since >= policy.window * 4 else { return }
            phase = .comparing(since: now, byteCount: byteCount)
        case .comparing(let since, let start):
            compare(Self.rate(of: byteCount - start, in: now - since), after: now - since, at: now)
        case .settled(let end):
            guard let end, now >= end else { return }
            phase = nil
        }
    }

    /// Connections could not be had, because others need them.
    mutating func refuse(connections: Int, at now: ContinuousClock.Instant) {
        target = max(1, connections)
        phase = .settled(until: now + pause)
    }

    /// For a while nothing came, which says nothing about how many connections are worth it.
    mutating func interrupt(at now: ContinuousClock.Instant) {
        switch phase {
        case .measuring: phase = nil
        case .settling, .comparing: phase = .settling(since: now)
        case nil, .settled: break
        }
    }

    /// A connection has failed: the server may not want as many.
    mutating func lose(connections: Int) {
        target = max(1, min(target, connections))
        phase = .settled(until: nil)
    }

    private mutating func compare(
        _ rate: Double,
        after duration: Duration,
        at now: ContinuousClock.Instant
    ) {
        guard duration >= policy.window else { return }
        let possible = Double(target - previousTarget) / Double(previousTarget)
        if rate >= previousRate * (1 + policy.requiredGain * possible) {
            self.rate = rate
            return grow(at: now)
        }
        // Lost packets make a short measurement a matter of luck.
        guard duration >= policy.window * 3 else { return }
        self.rate = max(rate, previousRate)
        target = previousTarget
        phase = .settled(until: now + pause)
        pause *= 2
    }

    private mutating func grow(at now: ContinuousClock.Instant) {
        guard target < policy.maximumConnections else {
            phase = .settled(until: nil)
            return
        }
        previousTarget = target
        previousRate = rate ?? 0
        target = min(policy.maximumConnections, target * 2)
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
