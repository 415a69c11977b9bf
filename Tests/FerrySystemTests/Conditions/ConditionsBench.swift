import FerryTestSupport

@testable import FerrySystem

/// The monitor's decisions with a clock and services that do what a test says.
struct ConditionsBench {
    let start: ContinuousClock.Instant
    var now: ContinuousClock.Instant
    var machine: ConditionsMonitor.StateMachine
    /// When the machine is to be woken.
    private(set) var alarm: ContinuousClock.Instant?
    /// The buses that were to be connected to since the last input.
    private(set) var opens: [ConditionsMonitor.StateMachine.Effect] = []
    private var latest: [ConditionsSource: UInt64] = [:]

    init(
        _ available: [ConditionsSource] = [
            .networkManager, .upower, .powerProfiles, .formerPowerProfiles,
        ]
    ) {
        start = .now
        now = start
        machine = .init(available: available)
    }

    /// One observer, and services that have answered.
    static func answering(
        _ kinds: Conditions,
        _ values: [String: BusValue] = [:]
    ) -> ConditionsBench {
        var bench = ConditionsBench()
        bench.observe(kinds)
        bench.opened()
        for source in bench.latest.keys { bench.answerLatest(source, values) }
        return bench
    }

    /// The states of the services, in order.
    var states: [ConditionsService.State] { machine.services.map(\.state) }

    @discardableResult
    mutating func observe(
        _ kinds: Conditions,
        as key: UInt64 = 1
    ) -> [ConditionsMonitor.StateMachine.Effect] {
        take(machine.after { [now] in $0.observe(kinds, as: key, at: now) })
    }

    @discardableResult
    mutating func cancel(_ key: UInt64) -> [ConditionsMonitor.StateMachine.Effect] {
        take(machine.after { [now] in $0.removeObserver(key, at: now) })
    }

    @discardableResult
    mutating func opened() -> [ConditionsMonitor.StateMachine.Effect] {
        take(machine.after { [now] in $0.opened(.system, at: now) })
    }

    @discardableResult
    mutating func failed(isFinal: Bool = false) -> [ConditionsMonitor.StateMachine.Effect] {
        take(machine.after { [now] in $0.failed(.system, isFinal: isFinal, at: now) })
    }

    @discardableResult
    mutating func lost() -> [ConditionsMonitor.StateMachine.Effect] {
        take(machine.after { [now] in $0.lost(.system, at: now) })
    }

    @discardableResult
    mutating func changed(_ source: ConditionsSource) -> [ConditionsMonitor.StateMachine.Effect] {
        take(machine.after { [now] in $0.changed(source, at: now) })
    }

    @discardableResult
    mutating func owner(
        _ source: ConditionsSource,
        isThere: Bool
    ) -> [ConditionsMonitor.StateMachine.Effect] {
        take(machine.after { [now] in $0.ownerChanged(source, isThere: isThere, at: now) })
    }

    @discardableResult
    mutating func answer(
        _ source: ConditionsSource,
        _ number: UInt64,
        _ values: [String: BusValue]?
    ) -> [ConditionsMonitor.StateMachine.Effect] {
        take(machine.after { [now] in $0.answered(source, number: number, values, at: now) })
    }

    /// Answers the latest question to a service.
    @discardableResult
    mutating func answerLatest(
        _ source: ConditionsSource,
        _ values: [String: BusValue]?
    ) -> [ConditionsMonitor.StateMachine.Effect] {
        answer(source, latest[source] ?? 0, values)
    }

    /// Lets time pass, and wakes the machine if it is to be woken by then.
    @discardableResult
    mutating func woke(after delay: Duration) -> [ConditionsMonitor.StateMachine.Effect] {
        now += delay
        guard let due = alarm, due <= now else { return [] }
        alarm = nil
        return take(machine.after { [now] in $0.woke(at: now) })
    }

    /// Notes the alarm, and returns the other effects.
    private mutating func take(
        _ effects: [ConditionsMonitor.StateMachine.Effect]
    ) -> [ConditionsMonitor.StateMachine.Effect] {
        opens = []
        var others: [ConditionsMonitor.StateMachine.Effect] = []
        for effect in effects {
            switch effect {
            case .wake(let instant): alarm = instant
            case .ask(let source, let number):
                latest[source] = number
                others.append(effect)
            case .open:
                opens.append(effect)
                others.append(effect)
            case .close, .subscribe, .unsubscribe, .notify: others.append(effect)
            }
        }
        return others
    }
}

extension [String: BusValue] {
    static let onBattery: Self = ["OnBattery": .boolean(true)]
    static let onMains: Self = ["OnBattery": .boolean(false)]
    static let disconnected: Self = ["Metered": .uint32(0), "PrimaryConnectionType": .string("")]

    static func metered(_ value: UInt32, _ type: String = "802-11-wireless") -> Self {
        ["Metered": .uint32(value), "PrimaryConnectionType": .string(type)]
    }
}
