import FerrySystem

/// Holds the daemon's inhibitors with logind, and reports what logind announces and that the machine has slept.
///
/// There is a connection to logind only while something is to be held.
@LoopActor
final class SleepWatch {
    /// An event of the machine.
    enum Event {
        /// It is about to sleep or to shut down, and waits for up to `delay`.
        case sleeps(delay: Duration)
        /// It is awake, or is not about to sleep any more.
        case goesOn(hasSlept: Bool)
    }

    private static let delay = Inhibitor.delay(why: "Stores what transfers have loaded")
    private static let awake = Inhibitor.awake(
        why: "Transfers run that are to keep the machine awake"
    )

    private let log: Log
    private let handler: @LoopActor (Event) -> Void
    private var inhibitors: Inhibitors?
    private var wanted: Set<Inhibitor> = []
    private var sleep: SleepObservation?
    /// The inhibitors whose refusal is in the log.
    private var refused: Set<Inhibitor> = []

    /// Watches the machine.
    ///
    /// - Parameters:
    ///   - log: The log, which says once what logind does not grant.
    ///   - handler: Called on the loop.
    init(log: Log, handler: @escaping @LoopActor (Event) -> Void) {
        self.log = log
        self.handler = handler
        sleep = SleepMonitor.shared.observe { handler(.goesOn(hasSlept: true)) }
    }

    isolated deinit {
        sleep?.cancel()
        inhibitors?.release()
    }

    /// The inhibitors that logind has granted.
    var held: [Inhibitor] {
        let held = inhibitors?.held ?? []
        return [Self.delay, Self.awake].filter(held.contains)
    }

    /// Holds this and nothing else.
    func inhibit(_ inhibition: MachineSleep.Inhibition) {
        wanted = []
        if inhibition.contains(.delay) { wanted.insert(Self.delay) }
        if inhibition.contains(.awake) { wanted.insert(Self.awake) }
        guard !wanted.isEmpty else {
            inhibitors?.release()
            inhibitors = nil
            return
        }
        if let inhibitors { return inhibitors.hold(wanted) }
        inhibitors = Inhibitors(who: "ferryd", wanted) { [weak self] in self?.take($0) }
    }

    /// Holds nothing, but still reports that the machine goes on.
    func allowSleep() { inhibitors?.hold([]) }

    private func take(_ event: Inhibitors.Event) {
        switch event {
        case .prepares(_, let delay):
            handler(.sleeps(delay: delay))
        case .goesOn:
            // Whether it has slept is known from the clocks, earlier.
            SleepMonitor.shared.check()
            handler(.goesOn(hasSlept: false))
        case .refused(let inhibitor, let reason):
            refuse(inhibitor, because: reason)
        case .lost:
            if wanted.contains(Self.awake) { refuse(Self.awake, because: "there is no logind") }
            // Nothing would report the end of what was announced.
            handler(.goesOn(hasSlept: false))
        }
    }

    private func refuse(_ inhibitor: Inhibitor, because reason: String) {
        guard refused.insert(inhibitor).inserted else { return }
        let effect =
            switch inhibitor.mode {
            case .block: "transfers do not keep the machine awake"
            case .delay: "the machine does not wait for transfers before it sleeps"
            }
        log.write(.warning, "\(effect): \(reason)")
    }
}
