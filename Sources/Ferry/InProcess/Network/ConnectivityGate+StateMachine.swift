import FerrySystem

extension ConnectivityGate {
    /// Decides when a transfer passes the gate, and when it has to come back; performs nothing itself.
    struct StateMachine {
        /// What is known of the network.
        struct Network: Equatable {
            /// Whether it is worth trying to reach another machine.
            var allowsAttempts = true
            /// The conditions of the network that the transfer avoids; nil while they are not known.
            var avoided: Conditions? = []
        }

        enum Effect: Equatable {
            /// Let the transfer go on.
            case open
            /// Tell the app that the task waits.
            case notifyWaiting
            /// Have the transfer stop loading, and give its connection back.
            case holdBack
            /// Have the transfer that was held back come to the gate again.
            case callBack
            /// Have the transfer fail.
            case refuse(Conditions)
        }

        private enum State: Equatable {
            /// No transfer is at the gate or behind it.
            case idle
            /// The transfer waits for a network, or until the network's conditions are known.
            case waiting
            /// There was no network although there seemed to be one: something has to change.
            case awaitingChange
            /// The transfer has stopped until the network is one that it does not avoid.
            case heldBack
            /// The transfer comes to the gate when it has a connection.
            case calledBack
            /// The transfer loads.
            case passed
        }

        /// Whether the transfer waits for a network in place of failing.
        let waits: Bool
        /// What the owner must do.
        var effects = EffectQueue<Effect>()
        private var state = State.idle
        private var hasWaited = false

        init(waits: Bool) { self.waits = waits }

        /// Whether the connectivity has to be known.
        var needsConnectivity: Bool {
            waits && (state == .waiting || state == .awaitingChange)
        }

        /// Whether the conditions have to be known.
        var needsConditions: Bool { state != .idle }

        // MARK: - The transfer

        /// The transfer wants to go on; ``found(_:)`` follows.
        mutating func came() { state = .waiting }

        /// The transfer's attempt has found no network; ``awaitsChange()`` follows, if changes are reported.
        mutating func attemptFailed() { state = .awaitingChange }

        /// The transfer waits until the network has changed.
        mutating func awaitsChange() {
            notifyWaiting()
        }

        /// The transfer has ended, or does not load for now.
        mutating func left() { state = .idle }

        // MARK: - The network

        /// The network at the moment when the transfer wants to go on.
        mutating func found(_ network: Network) {
            guard state == .waiting else { return }
            guard network.allowsAttempts || !waits else { return notifyWaiting() }
            guard let avoided = network.avoided else { return }
            guard avoided.isEmpty else { return forbid(avoided, mayWait: true) }
            state = .passed
            effects.add(.open)
        }

        mutating func connectivityChanged(_ network: Network) {
            if state == .awaitingChange, network.allowsAttempts { state = .waiting }
            found(network)
        }

        /// - Parameters:
        ///   - network: The network with its new conditions.
        ///   - canBeInterrupted: Whether a load that has begun can be continued, or made again.
        mutating func conditionsChanged(_ network: Network, canBeInterrupted: Bool) {
            switch state {
            case .waiting:
                found(network)
            case .heldBack:
                guard network.avoided == [] else { return }
                state = .calledBack
                effects.add(.callBack)
            case .passed:
                guard let avoided = network.avoided, !avoided.isEmpty else { return }
                forbid(avoided, mayWait: canBeInterrupted)
            case .idle, .awaitingChange, .calledBack: break
            }
        }

        private mutating func forbid(_ avoided: Conditions, mayWait: Bool) {
            guard waits, mayWait else {
                state = .idle
                effects.add(.refuse(avoided))
                return
            }
            state = .heldBack
            notifyWaiting()
            effects.add(.holdBack)
        }

        private mutating func notifyWaiting() {
            defer { hasWaited = true }
            if !hasWaited { effects.add(.notifyWaiting) }
        }
    }
}
