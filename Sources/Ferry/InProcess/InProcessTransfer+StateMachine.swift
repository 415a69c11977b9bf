import FerrySystem

extension InProcessTransfer {
    /// Decides what a task in the app's own process does next; performs nothing itself.
    struct StateMachine {
        private enum Condition: Equatable {
            /// Suspended, or not resumed yet, and without connection.
            case idle
            /// In line for a connection, or until the content can be loaded.
            case waiting
            /// Has a connection, or shares that of another task.
            case running
            /// Suspended in the middle of a response, with its connection.
            case paused
            /// Waits for the next attempt after a failed one, for another address, or for another network.
            case backingOff
            case ended
        }

        enum Effect: Equatable {
            /// Enter the line for a connection.
            case enterLine
            case leaveLine
            /// Wait until there is a network, and call ``mayLoad()``.
            case waitForNetwork
            /// Start to load the content, or continue.
            case load
            /// Stop loading, and nothing else.
            case stopLoading
            /// Pause the body, or continue it.
            case updateFlow
            /// Stop loading, waiting for a network, for another attempt and for another address.
            case stop
            case giveConnectionBack
            /// Start the clock of the resource timeout.
            case startClock
            case stopClock
            /// Wait for the duration, and call ``retryTimePassed()``.
            case backOff(Duration)
            /// Ask the app for another address, and call ``retryTimePassed()`` or ``relinked()``.
            case askForLink
            /// Report the end to the app.
            case end(Ending)
        }

        /// What the owner must do.
        var effects = EffectQueue<Effect>()
        private var condition = Condition.idle
        private var hasConnection = false
        /// Whether the content could have been loaded while the task was paused.
        private var loadIsDue = false
        /// Whether the content cannot be loaded yet.
        private var isPreparing: Bool
        /// The end that waits until the content is prepared, or until the task is resumed.
        private var pendingEnding: Ending?

        /// - Parameter isPreparing: Whether ``prepared(isUsable:)`` comes before the content can be loaded.
        init(isPreparing: Bool = false) {
            self.isPreparing = isPreparing
        }

        /// Whether the task is suspended or not resumed yet, and has no connection.
        var isIdle: Bool { condition == .idle }

        /// Whether the task loads by another task's connection.
        var isSharing: Bool { condition == .running && !hasConnection }

        /// Whether the body waits because the task is suspended.
        var isPaused: Bool { condition == .paused }

        /// Whether the task waits, without connection, until it may load again.
        var isBackingOff: Bool { condition == .backingOff }

        // MARK: - The app

        /// - Parameter isJoining: Whether the task joins another task's request.
        mutating func resume(isJoining: Bool = false) {
            switch condition {
            case .idle:
                if let pendingEnding, !isPreparing {
                    condition = .ended
                    effects.add(.end(pendingEnding))
                    return
                }
                condition = isJoining ? .running : .waiting
                effects.add(.startClock)
                guard !isPreparing else { return }
                effects.add(isJoining ? .waitForNetwork : .enterLine)
            case .paused:
                condition = .running
                effects.add(.startClock)
                effects.add(.updateFlow)
                if loadIsDue { mayLoad() }
            case .waiting, .running, .backingOff, .ended: break
            }
        }

        /// - Parameter isLeaving: Whether the content can be continued after its load was stopped.
        mutating func suspend(isLeaving: Bool) {
            switch condition {
            case .waiting:
                condition = .idle
                effects.add(.stopClock)
                leaveLine()
                effects.add(.stop)
            case .running where isLeaving:
                condition = .idle
                effects.add(.stopClock)
                effects.add(.stop)
                giveConnectionBack()
            case .running:
                condition = .paused
                effects.add(.stopClock)
                effects.add(.updateFlow)
            case .backingOff:
                condition = .idle
                effects.add(.stopClock)
                effects.add(.stop)
            case .idle, .paused, .ended: break
            }
        }

        /// The app cancels, the resource timeout has expired, or the content has failed.
        mutating func stop(_ ending: Ending) {
            defer { condition = .ended }
            switch condition {
            case .idle, .waiting:
                effects.add(.stopClock)
                if condition == .waiting { leaveLine() }
                guard isPreparing else {
                    effects.add(.stop)
                    effects.add(.end(ending))
                    return
                }
                // What is kept is decided when the content is prepared.
                pendingEnding = ending
            case .running, .paused:
                effects.add(.stopClock)
                effects.add(.stop)
                giveConnectionBack()
                effects.add(.end(ending))
            case .backingOff:
                effects.add(.stopClock)
                effects.add(.stop)
                effects.add(.end(ending))
            case .ended: break
            }
        }

        // MARK: - The content

        /// The content can be loaded, or never: it is said why when the task is resumed, because a session makes no
        /// failed tasks.
        mutating func prepared(isUsable: Bool) {
            isPreparing = false
            if !isUsable, pendingEnding == nil { pendingEnding = .content }
            switch condition {
            case .idle: break
            case .waiting:
                guard let pendingEnding else { return effects.add(.enterLine) }
                condition = .ended
                effects.add(.stopClock)
                effects.add(.end(pendingEnding))
            case .running, .paused, .backingOff, .ended:
                if let pendingEnding { effects.add(.end(pendingEnding)) }
            }
        }

        /// A connection is available.
        mutating func admitted() {
            guard condition == .waiting else { return }
            condition = .running
            hasConnection = true
            effects.add(.waitForNetwork)
        }

        /// There is a network, and whatever else is needed to load.
        mutating func mayLoad() {
            loadIsDue = condition == .paused
            if condition == .running { effects.add(.load) }
        }

        /// The content is complete or has failed.
        mutating func finished() {
            guard condition == .running || condition == .paused else { return }
            condition = .ended
            effects.add(.stopClock)
            giveConnectionBack()
            effects.add(.end(.content))
        }

        /// An attempt has failed, and another one follows after a delay.
        mutating func retries(after delay: Duration) {
            guard condition == .running else { return }
            condition = .backingOff
            giveConnectionBack()
            effects.add(.backOff(delay))
        }

        /// It is time for the next attempt.
        ///
        /// - Parameter isJoining: Whether the task joins another task's request.
        mutating func retryTimePassed(isJoining: Bool = false) {
            guard condition == .backingOff else { return }
            condition = isJoining ? .running : .waiting
            effects.add(isJoining ? .waitForNetwork : .enterLine)
        }

        /// The network is one that the task avoids; ``retryTimePassed(isJoining:)`` follows when it no longer is.
        ///
        /// The wait may be long, so that tasks to which the network is permitted get the connection.
        mutating func heldBack() {
            switch condition {
            case .running:
                condition = .backingOff
                effects.add(.stopLoading)
                giveConnectionBack()
            case .paused:
                condition = .idle
                effects.add(.stop)
                giveConnectionBack()
            case .idle, .waiting, .backingOff, .ended: break
            }
        }

        // MARK: - Shared requests

        /// The shared request is no longer this task's: it makes one of its own.
        mutating func released() {
            guard !hasConnection else { return }
            switch condition {
            case .running:
                condition = .waiting
                effects.add(.stop)
                effects.add(.enterLine)
            case .paused:
                condition = .idle
                effects.add(.stop)
            case .idle, .waiting, .backingOff, .ended: break
            }
        }

        /// The connection of the shared request belongs to this task from now on.
        mutating func inheritConnection() {
            if condition == .running || condition == .paused { hasConnection = true }
        }

        // MARK: - Other addresses

        /// The task was redirected and needs another connection.
        mutating func redirected() {
            switch condition {
            case .running:
                condition = .waiting
                giveConnectionBack()
                effects.add(.enterLine)
            case .paused:
                condition = .idle
                giveConnectionBack()
            case .idle, .waiting, .backingOff, .ended: break
            }
        }

        /// The server's response says that the address has expired.
        mutating func linkExpired() {
            guard condition == .running else { return }
            condition = .backingOff
            giveConnectionBack()
            effects.add(.askForLink)
        }

        /// The resource is about to have another address, perhaps at another host.
        mutating func leaveForLink() {
            switch condition {
            case .waiting:
                leaveLine()
            case .running, .paused:
                effects.add(.stop)
                giveConnectionBack()
            case .backingOff:
                effects.add(.stop)
            case .idle, .ended: break
            }
        }

        /// The resource has another address.
        mutating func relinked() {
            switch condition {
            case .waiting, .running, .backingOff:
                condition = .waiting
                if !isPreparing { effects.add(.enterLine) }
            case .paused:
                condition = .idle
            case .idle, .ended: break
            }
        }

        // MARK: - Effects that depend on what it has

        /// Returns the effect that leaves the line, which a task enters after its content was prepared.
        private mutating func leaveLine() {
            if !isPreparing { effects.add(.leaveLine) }
        }

        /// Returns the effect that gives back the task's own connection, if there is one.
        private mutating func giveConnectionBack() {
            defer { hasConnection = false }
            if hasConnection { effects.add(.giveConnectionBack) }
        }
    }
}
