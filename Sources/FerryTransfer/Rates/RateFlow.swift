package import FerrySystem

/// The bytes of a transfer in one direction, under the limits that hold for them: its own and those that it shares.
@LoopActor
package final class RateFlow {
    private static var lastIdentifier: RateLimit.FlowIdentifier = 0

    /// The share of a limit that the flow gets among others; 1 by default.
    package var weight: Double = 1
    /// The limit of this flow alone.
    package let own = RateLimit()
    private let shared: [RateLimit]
    private let identifier: RateLimit.FlowIdentifier
    private var awaited: RateLimit?

    /// Makes a flow.
    ///
    /// - Parameter shared: The limits that it shares with others.
    package init(sharing shared: [RateLimit] = []) {
        self.shared = shared
        Self.lastIdentifier += 1
        identifier = Self.lastIdentifier
    }

    /// The least of the limits; `nil` where there is none.
    var bytesPerSecond: Int64? { limits.compactMap(\.bytesPerSecond).min() }

    private var limits: [RateLimit] { [own] + shared }

    /// Bytes have passed.
    ///
    /// - Returns: Whether no more may pass until ``wait(then:)`` says so.
    func passed(_ count: Int) -> Bool {
        guard bytesPerSecond != nil else { return false }
        for limit in limits { limit.passed(count, by: identifier, weight: weight) }
        return limits.contains { $0.isExhausted }
    }

    /// Calls the flow's owner, later, when bytes may pass again.
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

    /// Nothing passes for now, and nobody waits.
    func stop() {
        awaited = nil
        for limit in limits { limit.leave(identifier) }
    }
}
