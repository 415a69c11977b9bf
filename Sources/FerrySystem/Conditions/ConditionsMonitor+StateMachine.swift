extension ConditionsMonitor {
    /// Decides which services are asked, which connections that takes, and what observers are told.
    struct StateMachine {
        enum Effect: Equatable {
            /// Connect to a bus, and report ``opened(_:at:)`` or ``failed(_:isFinal:at:)``.
            ///
            /// With `waits`, a missing socket is waited for.
            case open(ConditionsSource.Bus, waits: Bool)
            /// Close the connection, or end the attempt to make one.
            case close(ConditionsSource.Bus)
            /// Report a service's changes and its owners from now on.
            case subscribe(ConditionsSource)
            /// Report nothing of a service any more.
            case unsubscribe(ConditionsSource)
            /// Ask a service; the answer carries the number.
            case ask(ConditionsSource, number: UInt64)
            /// Call ``woke(at:)`` at this time, and at no other; nil for never.
            case wake(at: ContinuousClock.Instant?)
            /// Tell an observer what holds of its kinds.
            case notify(observer: UInt64, Conditions?)
        }

        private struct Observer {
            let kinds: Conditions
            var told: Conditions?
        }

        private let available: [ConditionsSource]
        private var observers: [UInt64: Observer] = [:]
        /// What the owner must do.
        var effects = EffectQueue<Effect>()
        private var inquiries: [ConditionsSource: ConditionsInquiry] = [:]
        private var buses: [ConditionsSource.Bus: BusAttempts] = [:]
        private var lastQuestion: UInt64 = 0
        private var alarm: ContinuousClock.Instant?

        /// Makes a state machine.
        ///
        /// - Parameter available: The services that may be asked.
        init(available: [ConditionsSource]) { self.available = available }

        /// What holds of the kinds of all observers; nil while a service has yet to answer.
        var conditions: Conditions? { observers.isEmpty ? nil : conditions(of: kinds) }

        /// What is known of the services that are being asked.
        var services: [ConditionsService] {
            available.compactMap { source in
                inquiries[source].map { .init(name: source.name, state: $0.state) }
            }
        }

        /// What holds of the kinds of an observer.
        func conditions(ofObserver key: UInt64) -> Conditions? {
            observers[key].flatMap { conditions(of: $0.kinds) }
        }

        // MARK: Observers

        mutating func observe(
            _ kinds: Conditions,
            as key: UInt64,
            at now: ContinuousClock.Instant
        ) {
            observers[key] = Observer(kinds: kinds)
            updateInquiries(at: now)
            // It finds for itself what is known.
            observers[key] = Observer(kinds: kinds, told: conditions(of: kinds))
            conclude()
        }

        mutating func removeObserver(_ key: UInt64, at now: ContinuousClock.Instant) {
            observers[key] = nil
            updateInquiries(at: now)
            conclude()
        }

        // MARK: Buses

        mutating func opened(_ bus: ConditionsSource.Bus, at now: ContinuousClock.Instant) {
            buses[bus]?.opened()
            for source in sources(on: bus) { begin(source, at: now) }
            conclude()
        }

        /// Handles that a connection cannot be made; with `isFinal` never, since there is no libsystemd.
        mutating func failed(
            _ bus: ConditionsSource.Bus,
            isFinal: Bool = false,
            at now: ContinuousClock.Instant
        ) {
            for source in sources(on: bus) { inquiries[source]?.hasNoBus() }
            retry(bus, isFinal ? nil : buses[bus]?.failed(at: now))
            conclude()
        }

        mutating func lost(_ bus: ConditionsSource.Bus, at now: ContinuousClock.Instant) {
            for source in sources(on: bus) { inquiries[source]?.left(at: now) }
            retry(bus, buses[bus]?.failed(at: now))
            conclude()
        }

        // MARK: Services

        mutating func changed(_ source: ConditionsSource, at now: ContinuousClock.Instant) {
            guard inquiries[source]?.changed() == true else { return }
            ask(source, at: now)
            conclude()
        }

        /// Handles that a service has got an owner, or has lost it.
        mutating func ownerChanged(
            _ source: ConditionsSource,
            isThere: Bool,
            at now: ContinuousClock.Instant
        ) {
            guard isThere else {
                inquiries[source]?.left(at: now)
                conclude()
                return
            }
            inquiries[source]?.appeared(at: now)
            ask(source, at: now)
            conclude()
        }

        /// Handles an answer, with the values of the service's object, or nil for an error.
        mutating func answered(
            _ source: ConditionsSource,
            number: UInt64,
            _ values: [String: BusValue]?,
            at now: ContinuousClock.Instant
        ) {
            guard let values else {
                inquiries[source]?.refused(number, at: now)
                conclude()
                return
            }
            buses[source.bus]?.worked()
            let report = source.report(values)
            let asksAgain = inquiries[source]?.answered(number, report, at: now) == true
            if asksAgain {
                ask(source, at: now)
            }
            conclude()
        }

        mutating func woke(at now: ContinuousClock.Instant) {
            alarm = nil
            for source in inquiries.keys { inquiries[source]?.woke(at: now) }
            for bus in ConditionsSource.Bus.allCases where buses[bus]?.woke(at: now) == true {
                effects.add(.open(bus, waits: true))
            }
            conclude()
        }
    }
}

extension ConditionsMonitor.StateMachine {
    private var kinds: Conditions { observers.values.reduce([]) { $0.union($1.kinds) } }

    private func sources(on bus: ConditionsSource.Bus) -> [ConditionsSource] {
        available.filter { $0.bus == bus && inquiries[$0] != nil }
    }

    private func conditions(of kinds: Conditions) -> Conditions? {
        var conditions: Conditions = []
        for source in available where !source.kinds.isDisjoint(with: kinds) {
            guard let known = inquiries[source]?.conditions else { return nil }
            conditions.formUnion(known)
        }
        return conditions.intersection(kinds)
    }

    /// Begins and ends inquiries, and connections for them, as the observers need them.
    private mutating func updateInquiries(at now: ContinuousClock.Instant) {
        let kinds = kinds
        for source in available {
            let isNeeded = !source.kinds.isDisjoint(with: kinds)
            if isNeeded, inquiries[source] == nil {
                inquiries[source] = ConditionsInquiry(at: now)
                join(source, at: now)
            } else if !isNeeded, inquiries.removeValue(forKey: source) != nil,
                buses[source.bus]?.isOpen == true
            {
                effects.add(.unsubscribe(source))
            }
        }
        for bus in ConditionsSource.Bus.allCases where sources(on: bus).isEmpty {
            if buses.removeValue(forKey: bus) != nil { effects.add(.close(bus)) }
        }
    }

    /// Asks one more service, over a connection that may have to be made.
    private mutating func join(_ source: ConditionsSource, at now: ContinuousClock.Instant) {
        switch buses[source.bus]?.state {
        case .open:
            begin(source, at: now)
        case .opening: break
        case .resting:
            inquiries[source]?.hasNoBus()
        case nil, .givenUp:
            buses[source.bus] = BusAttempts()
            effects.add(.open(source.bus, waits: false))
        }
    }

    /// Subscribes before it asks, so that nothing is missed.
    private mutating func begin(_ source: ConditionsSource, at now: ContinuousClock.Instant) {
        effects.add(.subscribe(source))
        ask(source, at: now)
    }

    private mutating func ask(_ source: ConditionsSource, at now: ContinuousClock.Instant) {
        guard inquiries[source] != nil else { return }
        lastQuestion += 1
        inquiries[source]?.asked(lastQuestion, at: now)
        effects.add(.ask(source, number: lastQuestion))
    }

    private mutating func retry(_ bus: ConditionsSource.Bus, _ next: BusAttempts.State?) {
        // Without a connection whose failure this is, nothing is known of it any more.
        guard buses[bus] != nil else { return }
        guard let next else {
            buses[bus]?.giveUp()
            return
        }
        if next == .opening {
            effects.add(.open(bus, waits: true))
        }
    }

    /// Sets the alarm, and tells the observers what they have not been told.
    private mutating func conclude() {
        let deadlines = inquiries.values.map(\.deadline) + buses.values.map(\.deadline)
        let next = deadlines.compactMap(\.self).min()
        if next != alarm {
            alarm = next
            effects.add(.wake(at: next))
        }
        for key in observers.keys.sorted() {
            let conditions = conditions(ofObserver: key)
            guard conditions != observers[key]?.told else { continue }
            observers[key]?.told = conditions
            effects.add(.notify(observer: key, conditions))
        }
    }
}
