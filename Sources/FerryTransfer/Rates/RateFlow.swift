import FerrySystem

/// The bytes of one connection in one direction, under the limits that apply: the transfer's own and the shared
/// ones.
@LoopActor
final class RateFlow {
    private let limits: [RateLimit]
    private let rates: TransferRates
    private let identifier: Identifier
    private var awaited: RateLimit?

    /// Makes a flow.
    ///
    /// - Parameters:
    ///   - rates: The rates of its transfer.
    ///   - limits: The limits for its direction.
    ///   - identifier: The flow's identifier.
    init(of rates: TransferRates, under limits: [RateLimit], identifier: Identifier) {
        self.rates = rates
        self.limits = limits
        self.identifier = identifier
    }

    /// Records bytes that have passed.
    ///
    /// - Returns: Whether no more may pass until ``wait(then:)`` calls back.
    func passed(_ count: Int) -> Bool {
        for limit in limits { limit.passed(count, by: identifier, weight: rates.weight) }
        return limits.contains { $0.isExhausted }
    }

    /// Calls the flow's owner, always later, when bytes may pass again.
    func wait(then goOn: @escaping @LoopActor () -> Void) {
        awaited?.leave(identifier)
        awaited = limits.first { $0.isExhausted }
        guard let awaited else { return LoopActor.perform { goOn() } }
        awaited.wait(identifier) { [weak self] in
            guard let self else { return }
            self.awaited = nil
            // Another limit may have been used up meanwhile.
            if limits.contains(where: { $0.isExhausted }) { wait(then: goOn) } else { goOn() }
        }
    }

    /// Ends the flow.
    func end() {
        awaited = nil
        for limit in limits { limit.leave(identifier) }
    }
}

extension RateFlow {
    /// The identifier of a flow among those that share limits.
    struct Identifier: Hashable, Comparable {
        /// The transfer, whose connections have one share together.
        var transfer: UInt64
        /// The flow.
        var number: UInt64

        static func < (one: Identifier, other: Identifier) -> Bool {
            (one.transfer, one.number) < (other.transfer, other.number)
        }
    }
}
