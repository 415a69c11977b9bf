import FerrySystem

extension RateLimit {
    /// Decides which of the flows that share a limit may continue, and when; performs nothing itself.
    ///
    /// A transfer that exceeds the limit is stopped, and the excess becomes a debt. When that is paid off, the
    /// transfer with the fewest bytes for its weight continues: each gets its share, and unused shares go to
    /// the others.
    struct StateMachine {
        /// What the owner must do, in the order given.
        enum Effect: Equatable {
            /// Let a waiting flow continue.
            case admit(RateFlow.Identifier)
            /// Call ``timerFired(at:)`` at that time only; `nil` for never.
            case setTimer(ContinuousClock.Instant?)
        }

        /// What the owner must do.
        var effects = EffectQueue<Effect>()
        /// How many bytes may pass per second; `nil` for as many as can.
        private(set) var bytesPerSecond: Int64?
        /// How many bytes may pass at once now; less than 0 is a debt.
        private var balance: Double = 0
        private var updated: ContinuousClock.Instant
        private var waiting: Set<RateFlow.Identifier> = []
        /// The number of bytes that each transfer has had, divided by its weight.
        private var shares: [UInt64: Double] = [:]
        /// The share of the transfer that continued last, which a later one begins with.
        private var virtualTime: Double = 0

        init(bytesPerSecond: Int64?, at now: ContinuousClock.Instant) {
            self.bytesPerSecond = bytesPerSecond.map { max($0, 1) }
            updated = now
        }

        /// As many bytes as this time allows may pass at once after a pause.
        private static let burst = Duration.milliseconds(100)
        /// How long an admitted flow that does not continue may delay the others.
        private static let grace = Duration.milliseconds(20)

        /// Changes the limit; debts of the old one are forgiven.
        mutating func setRate(_ rate: Int64?, at now: ContinuousClock.Instant) {
            let rate = rate.map { max($0, 1) }
            guard rate != bytesPerSecond else { return }
            bytesPerSecond = rate
            balance = 0
            updated = now
            if !waiting.isEmpty { timerFired(at: now) }
        }

        /// Records bytes that have passed.
        mutating func passed(
            _ count: Int,
            by flow: RateFlow.Identifier,
            weight: Double,
            at now: ContinuousClock.Instant
        ) {
            guard bytesPerSecond != nil else { return }
            fill(at: now)
            balance -= Double(count)
            let share = max(shares[flow.transfer] ?? virtualTime, virtualTime)
            shares[flow.transfer] = share + Double(count) / weight
        }

        /// Returns whether no bytes may pass.
        mutating func isExhausted(at now: ContinuousClock.Instant) -> Bool {
            fill(at: now)
            return balance < 0
        }

        /// Makes a flow wait until it may continue.
        mutating func wait(_ flow: RateFlow.Identifier, at now: ContinuousClock.Instant) {
            waiting.insert(flow)
            if waiting.count == 1 { effects.add(.setTimer(due(at: now))) }
        }

        /// Removes a flow that no longer waits.
        mutating func leave(_ flow: RateFlow.Identifier) {
            let wasWaiting = waiting.remove(flow) != nil
            if !waiting.contains(where: { $0.transfer == flow.transfer }) {
                shares[flow.transfer] = nil
            }
            if wasWaiting && waiting.isEmpty { effects.add(.setTimer(nil)) }
        }

        /// Admits the next flow, if one may continue.
        mutating func timerFired(at now: ContinuousClock.Instant) {
            guard bytesPerSecond != nil else {
                let all = waiting.sorted()
                waiting = []
                shares = [:]
                effects.add(.setTimer(nil))
                for flow in all { effects.add(.admit(flow)) }
                return
            }
            guard !isExhausted(at: now), let next = nextFlow else {
                return effects.add(.setTimer(waiting.isEmpty ? nil : due(at: now)))
            }
            waiting.remove(next)
            virtualTime = max(virtualTime, shares[next.transfer] ?? virtualTime)
            // In this order: the admitted flow may have to wait again at once.
            effects.add(.setTimer(waiting.isEmpty ? nil : now + Self.grace))
            effects.add(.admit(next))
        }

        private var nextFlow: RateFlow.Identifier? {
            waiting.min { one, other in
                (share(of: one), one) < (share(of: other), other)
            }
        }

        private func share(of flow: RateFlow.Identifier) -> Double {
            shares[flow.transfer] ?? virtualTime
        }

        private mutating func fill(at now: ContinuousClock.Instant) {
            guard let bytesPerSecond else {
                balance = 0
                return
            }
            let passed = (now - updated) / .seconds(1)
            updated = max(updated, now)
            guard passed > 0 else { return }
            let rate = Double(bytesPerSecond)
            balance = min(balance + passed * rate, rate * (Self.burst / .seconds(1)))
        }

        /// When the debt is paid off.
        private mutating func due(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
            fill(at: now)
            guard let bytesPerSecond, balance < 0 else { return now }
            return now + .seconds(-balance / Double(bytesPerSecond))
        }
    }
}
