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
        /// - Returns: What to do.
        mutating func resume(isJoining: Bool = false) -> [Effect] {
            switch condition {
            case .idle:
                if let pendingEnding, !isPreparing {
                    condition = .ended
                    return [.end(pendingEnding)]
                }
                condition = isJoining ? .running : .waiting
                guard !isPreparing else { return [.startClock] }
                return [.startClock, isJoining ? .waitForNetwork : .enterLine]
            case .paused:
                condition = .running
                return [.startClock, .updateFlow] + (loadIsDue ? mayLoad() : [])
            case .waiting, .running, .backingOff, .ended:
                return []
            }
        }

        /// - Parameter isLeaving: Whether the content can be continued after its load was stopped.
        /// - Returns: What to do.
        mutating func suspend(isLeaving: Bool) -> [Effect] {
            switch condition {
            case .waiting:
                condition = .idle
                return [.stopClock] + line() + [.stop]
            case .running where isLeaving:
                condition = .idle
                return [.stopClock, .stop] + connection()
            case .running:
                condition = .paused
                return [.stopClock, .updateFlow]
            case .backingOff:
                condition = .idle
                return [.stopClock, .stop]
            case .idle, .paused, .ended:
                return []
            }
        }

        /// The app cancels, the resource timeout has expired, or the content has failed.
        mutating func stop(_ ending: Ending) -> [Effect] {
            defer { condition = .ended }
            switch condition {
            case .idle, .waiting:
                let effects = [.stopClock] + (condition == .waiting ? line() : [])
                guard isPreparing else { return effects + [.stop, .end(ending)] }
                // What is kept is decided when the content is prepared.
                pendingEnding = ending
                return effects
            case .running, .paused: return [.stopClock, .stop] + connection() + [.end(ending)]
            case .backingOff: return [.stopClock, .stop, .end(ending)]
            case .ended: return []
            }
        }

        // MARK: - The content

        /// The content can be loaded, or never: it is said why when the task is resumed, because a session makes no
        /// failed tasks.
        mutating func prepared(isUsable: Bool) -> [Effect] {
            isPreparing = false
            if !isUsable, pendingEnding == nil { pendingEnding = .content }
            switch condition {
            case .idle:
                return []
            case .waiting:
                guard let pendingEnding else { return [.enterLine] }
                condition = .ended
                return [.stopClock, .end(pendingEnding)]
            case .running, .paused, .backingOff, .ended:
                return pendingEnding.map { [.end($0)] } ?? []
            }
        }

        /// A connection is available.
        mutating func admitted() -> [Effect] {
            guard condition == .waiting else { return [] }
            condition = .running
            hasConnection = true
            return [.waitForNetwork]
        }

        /// There is a network, and whatever else is needed to load.
        mutating func mayLoad() -> [Effect] {
            loadIsDue = condition == .paused
            return condition == .running ? [.load] : []
        }

        /// The content is complete or has failed.
        mutating func finished() -> [Effect] {
            guard condition == .running || condition == .paused else { return [] }
            condition = .ended
            return [.stopClock] + connection() + [.end(.content)]
        }

        /// An attempt has failed, and another one follows after a delay.
        mutating func retries(after delay: Duration) -> [Effect] {
            guard condition == .running else { return [] }
            condition = .backingOff
            return connection() + [.backOff(delay)]
        }

        /// It is time for the next attempt.
        ///
        /// - Parameter isJoining: Whether the task joins another task's request.
        /// - Returns: What to do.
        mutating func retryTimePassed(isJoining: Bool = false) -> [Effect] {
            guard condition == .backingOff else { return [] }
            condition = isJoining ? .running : .waiting
            return [isJoining ? .waitForNetwork : .enterLine]
        }

        /// The network is one that the task avoids; ``retryTimePassed(isJoining:)`` follows when it no longer is.
        ///
        /// The wait may be long, so that tasks to which the network is permitted get the connection.
        mutating func heldBack() -> [Effect] {
            switch condition {
            case .running:
                condition = .backingOff
                return [.stopLoading] + connection()
            case .paused:
                condition = .idle
                return [.stop] + connection()
            case .idle, .waiting, .backingOff, .ended:
                return []
            }
        }

        // MARK: - Shared requests

        /// The shared request is no longer this task's: it makes one of its own.
        mutating func released() -> [Effect] {
            guard !hasConnection else { return [] }
            switch condition {
            case .running:
                condition = .waiting
                return [.stop, .enterLine]
            case .paused:
                condition = .idle
                return [.stop]
            case .idle, .waiting, .backingOff, .ended:
                return []
            }
        }

        /// The connection of the shared request belongs to this task from now on.
        mutating func inheritConnection() {
            if condition == .running || condition == .paused { hasConnection = true }
        }

        // MARK: - Other addresses

        /// The task was redirected and needs another connection.
        mutating func redirected() -> [Effect] {
            switch condition {
            case .running:
                condition = .waiting
                return connection() + [.enterLine]
            case .paused:
                condition = .idle
                return connection()
            case .idle, .waiting, .backingOff, .ended:
                return []
            }
        }

        /// The server's response says that the address has expired.
        mutating func linkExpired() -> [Effect] {
            guard condition == .running else { return [] }
            condition = .backingOff
            return connection() + [.askForLink]
        }

        /// The resource is about to have another address, perhaps at another host.
        mutating func leaveForLink() -> [Effect] {
            switch condition {
            case .waiting: return line()
            case .running, .paused: return [.stop] + connection()
            case .backingOff: return [.stop]
            case .idle, .ended: return []
            }
        }

        /// The resource has another address.
        mutating func relinked() -> [Effect] {
            switch condition {
            case .waiting, .running, .backingOff:
                condition = .waiting
                return isPreparing ? [] : [.enterLine]
            case .paused:
                condition = .idle
                return []
            case .idle, .ended:
                return []
            }
        }

        // MARK: - Effects that depend on what it has

        /// Returns the effect that leaves the line, which a task enters after its content was prepared.
        private func line() -> [Effect] { isPreparing ? [] : [.leaveLine] }

        /// Returns the effect that gives back the task's own connection, if there is one.
        private mutating func connection() -> [Effect] {
            defer { hasConnection = false }
            return hasConnection ? [.giveConnectionBack] : []
        }
    }
}
