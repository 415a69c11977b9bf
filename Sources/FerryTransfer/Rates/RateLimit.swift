package import FerrySystem

/// A limit of bytes per second in one direction, for all transfers that share it.
@LoopActor
package final class RateLimit {
    private var machine: StateMachine
    private var admissions: [RateFlow.Identifier: @LoopActor () -> Void] = [:]
    private var timer: LoopTimer?

    /// Makes a limit.
    ///
    /// - Parameter bytesPerSecond: How many bytes, 1 or more; `nil`, the default, for as many as can.
    package init(bytesPerSecond: Int64? = nil) {
        machine = StateMachine(bytesPerSecond: bytesPerSecond, at: EventLoop.now)
    }

    isolated deinit { timer?.cancel() }

    /// How many bytes per second may pass; `nil` for as many as can.
    package var bytesPerSecond: Int64? {
        get { machine.bytesPerSecond }
        set { run { $0.setRate(newValue, at: EventLoop.now) } }
    }

    /// Records bytes that have passed.
    func passed(_ count: Int, by flow: RateFlow.Identifier, weight: Double) {
        machine.passed(count, by: flow, weight: weight, at: EventLoop.now)
    }

    /// Whether no bytes may pass.
    var isExhausted: Bool { machine.isExhausted(at: EventLoop.now) }

    /// Calls a flow when it may continue, always later.
    func wait(_ flow: RateFlow.Identifier, then proceed: @escaping @LoopActor () -> Void) {
        admissions[flow] = proceed
        run { $0.wait(flow, at: EventLoop.now) }
    }

    /// Removes a flow that has nothing more to let pass for now.
    func leave(_ flow: RateFlow.Identifier) {
        admissions[flow] = nil
        run { $0.leave(flow) }
    }

    /// Takes an input, and performs what follows.
    private func run(_ input: (inout StateMachine) -> Void) {
        input(&machine)
        guard machine.effects.begin() else { return }
        while let effect = machine.effects.next() { perform(effect) }
    }

    private func perform(_ effect: StateMachine.Effect) {
        switch effect {
        case .admit(let flow):
            admissions.removeValue(forKey: flow)?()
        case .setTimer(let date):
            timer?.cancel()
            timer = date.map { date in
                EventLoop.shared.schedule(after: date - EventLoop.now) { [weak self] in
                    self?.timerFired()
                }
            }
        }
    }

    private func timerFired() {
        timer = nil
        run { $0.timerFired(at: EventLoop.now) }
    }
}

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
    func wait(then proceed: @escaping @LoopActor () -> Void) {
        awaited?.leave(identifier)
        awaited = limits.first { $0.isExhausted }
        guard let awaited else { return LoopActor.perform { proceed() } }
        awaited.wait(identifier) { [weak self] in
            guard let self else { return }
            self.awaited = nil
            // Another limit may have been used up meanwhile.
            if limits.contains(where: { $0.isExhausted }) { wait(then: proceed) } else { proceed() }
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
