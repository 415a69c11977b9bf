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
        set { run(machine.setRate(newValue, at: EventLoop.now)) }
    }

    /// Records bytes that have passed.
    func passed(_ count: Int, by flow: RateFlow.Identifier, weight: Double) {
        machine.passed(count, by: flow, weight: weight, at: EventLoop.now)
    }

    /// Whether no bytes may pass.
    var isExhausted: Bool { machine.isExhausted(at: EventLoop.now) }

    /// Calls a flow when it may continue, always later.
    func wait(_ flow: RateFlow.Identifier, then goOn: @escaping @LoopActor () -> Void) {
        admissions[flow] = goOn
        run(machine.wait(flow, at: EventLoop.now))
    }

    /// Removes a flow that has nothing more to let pass for now.
    func leave(_ flow: RateFlow.Identifier) {
        admissions[flow] = nil
        run(machine.leave(flow))
    }

    private func run(_ effects: [StateMachine.Effect]) {
        for effect in effects {
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
    }

    private func timerFired() {
        timer = nil
        run(machine.timerFired(at: EventLoop.now))
    }
}
