extension ConnectivityMonitor {
    /// Decides when to ask the kernel for links and routes, and what its answers mean.
    ///
    /// Changes are not derived from the notifications; the lists are read again. The kernel removes routes
    /// without a notification when a link goes down or an address is removed, and routes have no identifiers.
    struct StateMachine {
        enum Effect: Equatable {
            /// Request a list; its parts carry the sequence number.
            case request(RouteListing, sequence: UInt32)
            /// Call ``woke(at:)`` at this time.
            case wake(at: ContinuousClock.Instant)
            /// Publish a new answer.
            case publish(Connectivity)
        }

        private enum State: Equatable {
            case idle
            case reading(RouteListing)
            /// Something has changed so soon after the last reading that the next one has to wait.
            case waiting
        }

        /// Changes come in bursts.
        private static let shortestRest = Duration.milliseconds(100)
        /// If there are many routes that change all the time, reading takes a tenth of the time.
        private static let restsPerReading = 9

        /// What the owner must do.
        var effects = EffectQueue<Effect>()
        private let port: UInt32
        private var state = State.idle
        private var connectivity = Connectivity.unknown
        private var sequence: UInt32 = 0
        private var usableLinks: Set<Int32> = []
        private var foundRoute = false
        /// Whether something has changed since the reading began.
        private var isStale = false
        private var began: ContinuousClock.Instant?
        private var restsUntil: ContinuousClock.Instant?

        /// Makes a state machine for a socket.
        ///
        /// - Parameter port: The socket's number, which the answers to its requests carry.
        init(port: UInt32) { self.port = port }

        mutating func start(at now: ContinuousClock.Instant) {
            read(at: now)
        }

        mutating func woke(at now: ContinuousClock.Instant) {
            guard state == .waiting else { return }
            read(at: now)
        }

        /// Handles that messages were lost because there was no room for them.
        mutating func messagesWereLost(at now: ContinuousClock.Instant) {
            somethingChanged(at: now)
        }

        mutating func received(_ message: NetworkMessage, at now: ContinuousClock.Instant) {
            guard message.port == port else { return notified(message, at: now) }
            // The end of an abandoned list may still arrive.
            guard message.sequence == sequence, case .reading(let listing) = state else {
                return
            }
            if message.isInterrupted { isStale = true }
            switch message.content {
            case .link(let link):
                record(link)
            case .route(let route):
                foundRoute = foundRoute || isUsable(route)
            case .end:
                listed(listing, at: now)
            case .refusal:
                conclude(.unknown, at: now)
            case .loss, .linkRemoval, .routeReplacement, .routeRemoval, .addressRemoval:
                isStale = true
            }
        }

        private mutating func listed(_ listing: RouteListing, at now: ContinuousClock.Instant) {
            switch listing {
            case .links: request(.routes)
            case .routes: conclude(foundRoute ? .connected : .disconnected, at: now)
            }
        }

        private mutating func notified(_ message: NetworkMessage, at now: ContinuousClock.Instant) {
            let matters =
                switch message.content {
                case .link(let link): record(link)
                case .linkRemoval(let index): usableLinks.remove(index) != nil
                // Another route changes nothing if there is one already.
                case .route: connectivity != .connected
                case .routeRemoval, .addressRemoval: connectivity != .disconnected
                case .loss, .routeReplacement: true
                case .end, .refusal: false
                }
            // The links and routes of a list that is being read are from different moments.
            if matters || isReading {
                somethingChanged(at: now)
            }
        }

        private mutating func somethingChanged(at now: ContinuousClock.Instant) {
            switch state {
            case .idle:
                read(at: now)
            case .reading:
                isStale = true
            case .waiting: break
            }
        }

        private mutating func read(at now: ContinuousClock.Instant) {
            if let restsUntil, now < restsUntil {
                state = .waiting
                effects.add(.wake(at: restsUntil))
                return
            }
            isStale = false
            foundRoute = false
            usableLinks = []
            began = now
            request(.links)
        }

        private mutating func request(_ listing: RouteListing) {
            state = .reading(listing)
            sequence &+= 1
            effects.add(.request(listing, sequence: sequence))
        }

        private mutating func conclude(_ answer: Connectivity, at now: ContinuousClock.Instant) {
            let duration = began.map { now - $0 } ?? .zero
            restsUntil = now + max(Self.shortestRest, duration * Self.restsPerReading)
            state = .idle
            if answer != connectivity { effects.add(.publish(answer)) }
            connectivity = answer
            if isStale {
                read(at: now)
            }
        }

        /// Records whether a link can be used, and returns whether that has changed.
        @discardableResult
        private mutating func record(_ link: NetworkLink) -> Bool {
            link.isUsable
                ? usableLinks.insert(link.index).inserted
                : usableLinks.remove(link.index) != nil
        }

        private var isReading: Bool {
            if case .reading = state { true } else { false }
        }

        private func isUsable(_ route: NetworkRoute) -> Bool {
            route.links.isEmpty || !usableLinks.isDisjoint(with: route.links)
        }
    }
}
