/// A monitor of the conditions that this machine is in, by what the services of the desktop tell on D-Bus.
///
/// Nothing is polled. Without observers there is no connection, and libsystemd is not loaded.
/// ``Conditions/outsideHours`` never comes from it. What each service's words mean, and what its absence
/// means, is in docs/decisions/conditions.md.
@LoopActor
package final class ConditionsMonitor {
    /// The process's monitor.
    package static let shared = ConditionsMonitor()

    private let addresses: @LoopActor (ConditionsSource.Bus) -> BusAddress
    private var machine: StateMachine
    private var handlers: [UInt64: @LoopActor (Conditions?) -> Void] = [:]
    private var lastKey: UInt64 = 0
    private var buses: [ConditionsSource.Bus: MessageBus] = [:]
    private var subscriptions: [ConditionsSource: [BusSubscription]] = [:]
    /// The latest attempt to connect to each bus, by its number.
    private var attempts: [ConditionsSource.Bus: UInt64] = [:]
    private var lastAttempt: UInt64 = 0
    private var timer: LoopTimer?

    /// Makes a monitor.
    ///
    /// - Parameters:
    ///   - available: The services that may be asked.
    ///   - addresses: Tells where a bus listens; called for each connection.
    init(
        available: [ConditionsSource] = ConditionsSource.available,
        addresses: @escaping @LoopActor (ConditionsSource.Bus) -> BusAddress = { bus in
            switch bus {
            case .system: .system
            case .session: .session
            }
        }
    ) {
        machine = StateMachine(available: available)
        self.addresses = addresses
    }

    /// The conditions of the kinds that are observed.
    ///
    /// It is nil until each service that is needed has answered, is known to be absent, or has not answered
    /// within one second; and without observers.
    package var conditions: Conditions? { machine.conditions }

    /// What is known of each service that is being asked, in a constant order.
    package var services: [ConditionsService] { machine.services }

    /// Calls `handler` on the loop whenever the conditions of some kinds change, until the observation is
    /// cancelled.
    ///
    /// Only the services for the kinds of all observers are asked. The handler is not called for what is known
    /// when this returns: see ``ConditionsObservation/conditions``.
    ///
    /// - Parameters:
    ///   - kinds: The conditions that matter to this observer; it is told of no others.
    ///   - handler: Gets those of `kinds` that hold; nil while a service that is needed has yet to answer.
    /// - Returns: The observation, to cancel.
    package func observe(
        _ kinds: Conditions,
        _ handler: @escaping @LoopActor (Conditions?) -> Void
    ) -> ConditionsObservation {
        lastKey += 1
        handlers[lastKey] = handler
        run { $0.observe(kinds, as: lastKey, at: EventLoop.now) }
        return ConditionsObservation(key: lastKey, monitor: self)
    }

    func conditions(of key: UInt64) -> Conditions? { machine.conditions(ofObserver: key) }

    func removeObserver(_ key: UInt64) {
        handlers[key] = nil
        run { $0.removeObserver(key, at: EventLoop.now) }
    }

    /// Takes an input, and performs what follows.
    private func run(_ input: (inout StateMachine) -> Void) {
        input(&machine)
        guard machine.effects.begin() else { return }
        while let effect = machine.effects.next() { perform(effect) }
    }

    private func perform(_ effect: StateMachine.Effect) {
        switch effect {
        case .open(let bus, let waits): open(bus, waits: waits)
        case .close(let bus): close(bus)
        case .subscribe(let source): subscribe(source)
        case .unsubscribe(let source): unsubscribe(source)
        case .ask(let source, let number): ask(source, number)
        case .wake(let instant): wake(at: instant)
        case .notify(let key, let conditions): handlers[key]?(conditions)
        }
    }

    private func wake(at instant: ContinuousClock.Instant?) {
        timer?.cancel()
        timer = instant.map { instant in
            EventLoop.shared.schedule(after: instant - EventLoop.now) { [weak self] in
                guard let self else { return }
                run { $0.woke(at: EventLoop.now) }
            }
        }
    }

    // MARK: Buses

    private func open(_ bus: ConditionsSource.Bus, waits: Bool) {
        lastAttempt += 1
        let attempt = lastAttempt
        attempts[bus] = attempt
        LoopActor.task {
            let library = await MessageBus.library()
            self.connect(to: bus, library, waits: waits, attempt)
        }
    }

    private func connect(
        to bus: ConditionsSource.Bus,
        _ library: SystemdLibrary?,
        waits: Bool,
        _ attempt: UInt64
    ) {
        // Nobody may need it any more.
        guard attempts[bus] == attempt else { return }
        guard let library else {
            return run { $0.failed(bus, isFinal: true, at: EventLoop.now) }
        }
        do throws(SystemCallError) {
            buses[bus] = try MessageBus(addresses(bus), library, waits: waits) { [weak self] in
                self?.lose(bus)
            }
            run { $0.opened(bus, at: EventLoop.now) }
        } catch {
            run { $0.failed(bus, at: EventLoop.now) }
        }
    }

    private func close(_ bus: ConditionsSource.Bus) {
        attempts[bus] = nil
        for source in subscriptions.keys where source.bus == bus { subscriptions[source] = nil }
        buses.removeValue(forKey: bus)?.close()
    }

    private func lose(_ bus: ConditionsSource.Bus) {
        guard buses[bus] != nil else { return }
        close(bus)
        run { $0.lost(bus, at: EventLoop.now) }
    }

    // MARK: Services

    private func subscribe(_ source: ConditionsSource) {
        use(source) { bus, object throws(SystemCallError) in
            var made = [
                try bus.subscribeToOwner(of: object.service) { [weak self] isThere in
                    guard let self else { return }
                    run { $0.ownerChanged(source, isThere: isThere, at: EventLoop.now) }
                }
            ]
            let (signal, sender, argument) = source.change
            made.append(
                try bus.subscribe(to: signal, of: sender, about: argument) { [weak self] _ in
                    guard let self else { return }
                    run { $0.changed(source, at: EventLoop.now) }
                }
            )
            subscriptions[source] = made
        }
    }

    private func unsubscribe(_ source: ConditionsSource) {
        for subscription in subscriptions.removeValue(forKey: source) ?? [] {
            buses[source.bus]?.cancel(subscription)
        }
    }

    private func ask(_ source: ConditionsSource, _ number: UInt64) {
        use(source) { bus, _ throws(SystemCallError) in
            let (method, receiver, arguments) = source.question
            // A service that hangs may answer when it goes on, whenever that is; it is not waited for.
            try bus.call(
                method,
                of: receiver,
                arguments,
                starts: source.mayBeStarted,
                timeout: nil
            ) { [weak self] answer in
                guard let self else { return }
                let values = answer.message.map(source.values)
                run { $0.answered(source, number: number, values, at: EventLoop.now) }
            }
        }
    }

    /// Uses the connection to a source's bus, which is lost if that fails.
    private func use(
        _ source: ConditionsSource,
        _ body: (MessageBus, BusObject) throws(SystemCallError) -> Void
    ) {
        guard let bus = buses[source.bus] else { return }
        do throws(SystemCallError) {
            try body(bus, source.object)
        } catch {
            lose(source.bus)
        }
    }
}

/// An observation of the machine's conditions, which lasts until it is cancelled.
@LoopActor
package final class ConditionsObservation {
    private let key: UInt64
    private var monitor: ConditionsMonitor?

    init(key: UInt64, monitor: ConditionsMonitor) {
        self.key = key
        self.monitor = monitor
    }

    /// Those of the observed kinds that hold; nil while a service that is needed has yet to answer, and after
    /// ``cancel()``.
    package var conditions: Conditions? { monitor?.conditions(of: key) }

    /// Ends the observation; the handler is not called again and is released.
    package func cancel() {
        monitor?.removeObserver(key)
        monitor = nil
    }
}

/// What is known of a service that tells of the machine's conditions.
package struct ConditionsService: Hashable, Sendable {
    /// Whether the service answers.
    package enum State: Hashable, Sendable {
        /// It has been asked, less than a second ago.
        case waiting
        /// It has answered.
        case answers
        /// It does not run, there is no bus, or it refuses to tell; it counts as none of its conditions.
        case absent
        /// It has not answered within a second; it counts as none of its conditions until it does.
        case silent
    }

    /// The name on the bus, such as `org.freedesktop.NetworkManager`.
    package let name: String
    /// Whether the service answers.
    package let state: State

    package init(name: String, state: State) {
        self.name = name
        self.state = state
    }
}
