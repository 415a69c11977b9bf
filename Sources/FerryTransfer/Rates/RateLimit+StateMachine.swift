extension RateLimit {
    /// Decides who of those that share a limit may go on, and when; performs nothing itself.
    ///
    /// A transfer that has let more bytes pass than the limit had room for is stopped, and they become a debt. When it
    /// is paid off, the one goes on that has had the least for its weight: each gets its share, and what one
    /// leaves the others have.
    struct StateMachine {
        /// What the owner must do, in the order given.
        enum Effect: Equatable {
            /// Let a flow go on that waits.
            case admit(RateFlow.Identifier)
            /// Call ``timerFired(at:)`` at that time, and no more at another; `nil` for never.
            case setTimer(ContinuousClock.Instant?)
        }

        /// How many bytes may pass per second; `nil` for as many as can.
        private(set) var bytesPerSecond: Int64?
        /// How many bytes may pass at once now; less than 0 is a debt.
        private var balance: Double = 0
        private var updated: ContinuousClock.Instant
        private var waiting: Set<RateFlow.Identifier> = []
        /// How many bytes each transfer has had, by its weight.
        private var shares: [UInt64: Double] = [:]
        /// What the one had that went on last: who comes later begins there.
        private var virtualTime: Double = 0

        init(bytesPerSecond: Int64?, at now: ContinuousClock.Instant) {
            self.bytesPerSecond = bytesPerSecond.map { max($0, 1) }
            updated = now
        }

        /// So much may pass in one go after a pause.
        private static let burst = Duration.milliseconds(100)
        /// Who may go on, and does not, holds up the others no longer than this.
        private static let grace = Duration.milliseconds(20)

        /// Changes the limit; debts of the old one are forgiven.
        mutating func setRate(_ rate: Int64?, at now: ContinuousClock.Instant) -> [Effect] {
            let rate = rate.map { max($0, 1) }
            guard rate != bytesPerSecond else { return [] }
            bytesPerSecond = rate
            balance = 0
            updated = now
            return waiting.isEmpty ? [] : timerFired(at: now)
        }

        /// Bytes have passed.
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

        /// Whether nobody may let bytes pass.
        mutating func isExhausted(at now: ContinuousClock.Instant) -> Bool {
            fill(at: now)
            return balance < 0
        }

        /// A flow waits until it may go on.
        mutating func wait(_ flow: RateFlow.Identifier, at now: ContinuousClock.Instant) -> [Effect]
        {
            waiting.insert(flow)
            return waiting.count == 1 ? [.setTimer(due(at: now))] : []
        }

        /// A flow does not wait any more.
        mutating func leave(_ flow: RateFlow.Identifier) -> [Effect] {
            let wasWaiting = waiting.remove(flow) != nil
            if !waiting.contains(where: { $0.transfer == flow.transfer }) {
                shares[flow.transfer] = nil
            }
            return wasWaiting && waiting.isEmpty ? [.setTimer(nil)] : []
        }

        /// Somebody may be able to go on.
        mutating func timerFired(at now: ContinuousClock.Instant) -> [Effect] {
            guard bytesPerSecond != nil else {
                let all = waiting.sorted()
                waiting = []
                shares = [:]
                return [.setTimer(nil)] + all.map { .admit($0) }
            }
            guard !isExhausted(at: now), let next = nextFlow else {
                return [.setTimer(waiting.isEmpty ? nil : due(at: now))]
            }
            waiting.remove(next)
            virtualTime = max(virtualTime, shares[next.transfer] ?? virtualTime)
            // In this order: who goes on may have to wait again at once.
            return [.setTimer(waiting.isEmpty ? nil : now + Self.grace), .admit(next)]
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
