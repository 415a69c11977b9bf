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
            case tell(observer: UInt64, Conditions?)
        }

        private struct Observer {
            let kinds: Conditions
            var told: Conditions?
        }

        private let available: [ConditionsSource]
        private var observers: [UInt64: Observer] = [:]
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
        ) -> [Effect] {
            observers[key] = Observer(kinds: kinds)
            let effects = updateInquiries(at: now)
            // It finds for itself what is known.
            observers[key] = Observer(kinds: kinds, told: conditions(of: kinds))
            return effects + conclude()
        }

        mutating func removeObserver(_ key: UInt64, at now: ContinuousClock.Instant) -> [Effect] {
            observers[key] = nil
            return updateInquiries(at: now) + conclude()
        }

        // MARK: Buses

        mutating func opened(
            _ bus: ConditionsSource.Bus,
            at now: ContinuousClock.Instant
        ) -> [Effect] {
            buses[bus]?.opened()
            return sources(on: bus).flatMap { begin($0, at: now) } + conclude()
        }

        /// Handles that a connection cannot be made; with `isFinal` never, since there is no libsystemd.
        mutating func failed(
            _ bus: ConditionsSource.Bus,
            isFinal: Bool = false,
            at now: ContinuousClock.Instant
        ) -> [Effect] {
            for source in sources(on: bus) { inquiries[source]?.hasNoBus() }
            return retry(bus, isFinal ? nil : buses[bus]?.failed(at: now)) + conclude()
        }

        mutating func lost(
            _ bus: ConditionsSource.Bus,
            at now: ContinuousClock.Instant
        ) -> [Effect] {
            for source in sources(on: bus) { inquiries[source]?.left(at: now) }
            return retry(bus, buses[bus]?.failed(at: now)) + conclude()
        }

        // MARK: Services

        mutating func changed(
            _ source: ConditionsSource,
            at now: ContinuousClock.Instant
        ) -> [Effect] {
            guard inquiries[source]?.changed() == true else { return [] }
            return ask(source, at: now) + conclude()
        }

        /// Handles that a service has got an owner, or has lost it.
        mutating func ownerChanged(
            _ source: ConditionsSource,
            isThere: Bool,
            at now: ContinuousClock.Instant
        ) -> [Effect] {
            guard isThere else {
                inquiries[source]?.left(at: now)
                return conclude()
            }
            inquiries[source]?.appeared(at: now)
            return ask(source, at: now) + conclude()
        }

        /// Handles an answer, with the values of the service's object, or nil for an error.
        mutating func answered(
            _ source: ConditionsSource,
            number: UInt64,
            _ values: [String: BusValue]?,
            at now: ContinuousClock.Instant
        ) -> [Effect] {
            guard let values else {
                inquiries[source]?.refused(number, at: now)
                return conclude()
            }
            buses[source.bus]?.worked()
            let report = source.report(values)
            let asksAgain = inquiries[source]?.answered(number, report, at: now) == true
            return (asksAgain ? ask(source, at: now) : []) + conclude()
        }

        mutating func woke(at now: ContinuousClock.Instant) -> [Effect] {
            alarm = nil
            for source in inquiries.keys { inquiries[source]?.woke(at: now) }
            let due = ConditionsSource.Bus.allCases.filter { buses[$0]?.woke(at: now) == true }
            return due.map { .open($0, waits: true) } + conclude()
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
    private mutating func updateInquiries(at now: ContinuousClock.Instant) -> [Effect] {
        let kinds = kinds
        var effects: [Effect] = []
        for source in available {
            let isNeeded = !source.kinds.isDisjoint(with: kinds)
            if isNeeded, inquiries[source] == nil {
                inquiries[source] = ConditionsInquiry(at: now)
                effects += join(source, at: now)
            } else if !isNeeded, inquiries.removeValue(forKey: source) != nil,
                buses[source.bus]?.isOpen == true
            {
                effects.append(.unsubscribe(source))
            }
        }
        for bus in ConditionsSource.Bus.allCases where sources(on: bus).isEmpty {
            if buses.removeValue(forKey: bus) != nil { effects.append(.close(bus)) }
        }
        return effects
    }

    /// Asks one more service, over a connection that may have to be made.
    private mutating func join(
        _ source: ConditionsSource,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        switch buses[source.bus]?.state {
        case .open:
            return begin(source, at: now)
        case .opening:
            return []
        case .resting:
            inquiries[source]?.hasNoBus()
            return []
        case nil, .givenUp:
            buses[source.bus] = BusAttempts()
            return [.open(source.bus, waits: false)]
        }
    }

    /// Subscribes before it asks, so that nothing is missed.
    private mutating func begin(
        _ source: ConditionsSource,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        [.subscribe(source)] + ask(source, at: now)
    }

    private mutating func ask(
        _ source: ConditionsSource,
        at now: ContinuousClock.Instant
    ) -> [Effect] {
        guard inquiries[source] != nil else { return [] }
        lastQuestion += 1
        inquiries[source]?.asked(lastQuestion, at: now)
        return [.ask(source, number: lastQuestion)]
    }

    private mutating func retry(
        _ bus: ConditionsSource.Bus,
        _ next: BusAttempts.State?
    ) -> [Effect] {
        // Without a connection whose failure this is, nothing is known of it any more.
        guard buses[bus] != nil else { return [] }
        guard let next else {
            buses[bus]?.giveUp()
            return []
        }
        return next == .opening ? [.open(bus, waits: true)] : []
    }

    /// Sets the alarm, and tells the observers what they have not been told.
    private mutating func conclude() -> [Effect] {
        var effects: [Effect] = []
        let deadlines = inquiries.values.map(\.deadline) + buses.values.map(\.deadline)
        let next = deadlines.compactMap(\.self).min()
        if next != alarm {
            alarm = next
            effects.append(.wake(at: next))
        }
        for key in observers.keys.sorted() {
            let conditions = conditions(ofObserver: key)
            guard conditions != observers[key]?.told else { continue }
            observers[key]?.told = conditions
            effects.append(.tell(observer: key, conditions))
        }
        return effects
    }
}
