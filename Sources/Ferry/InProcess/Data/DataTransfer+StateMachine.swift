extension DataTransfer {
    /// Decides what a data task in the app's own process does next; performs nothing itself.
    struct StateMachine {
        private enum Condition: Equatable {
            /// Suspended, or not resumed yet, and without connection.
            case idle
            /// In line for a connection.
            case waiting
            /// Has one, or shares that of another task.
            case running
            /// Suspended while it runs.
            case paused
            case ended
        }

        enum Effect: Equatable {
            /// Enter the line for a connection.
            case enterLine
            case leaveLine
            case start
            /// Let the body wait, or go on with it.
            case updateFlow
            /// Stop for good.
            case stop
            case giveConnectionBack
            /// Let the time for the whole resource run.
            case startClock
            case stopClock
            /// Tell the app of the end.
            case end
        }

        private var condition = Condition.idle
        private var hasConnection = false

        /// Whether nothing has been done yet, or nothing is left of it.
        var isIdle: Bool { condition == .idle }

        /// Whether the task has no connection of its own.
        var isSharing: Bool { condition == .running && !hasConnection }

        var hasEnded: Bool { condition == .ended }

        /// Whether the body waits because the task is suspended.
        var isPaused: Bool { condition == .paused }

        /// - Parameter isJoining: Whether the task shares a request of another one.
        /// - Returns: What to do.
        mutating func resume(isJoining: Bool) -> [Effect] {
            switch condition {
            case .idle where isJoining:
                condition = .running
                return [.startClock, .updateFlow]
            case .idle:
                condition = .waiting
                return [.startClock, .enterLine]
            case .paused:
                condition = .running
                return [.startClock, .updateFlow]
            case .waiting, .running, .ended:
                return []
            }
        }

        /// - Parameter isLeaving: Whether a request that is shared goes on without the task.
        /// - Returns: What to do.
        mutating func suspend(isLeaving: Bool) -> [Effect] {
            switch condition {
            case .running where isLeaving && !hasConnection:
                condition = .idle
                return [.stopClock]
            case .waiting:
                condition = .idle
                return [.stopClock, .leaveLine]
            case .running:
                condition = .paused
                return [.stopClock, .updateFlow]
            case .idle, .paused, .ended:
                return []
            }
        }

        /// There is a connection to be had.
        mutating func admitted() -> [Effect] {
            guard condition == .waiting else { return [] }
            condition = .running
            hasConnection = true
            return [.start]
        }

        /// The request that was shared is no longer: the task makes one of its own.
        mutating func released() -> [Effect] {
            switch condition {
            case .running where !hasConnection:
                condition = .waiting
                return [.enterLine]
            case .paused where !hasConnection:
                condition = .idle
                return []
            case .idle, .waiting, .running, .paused, .ended:
                return []
            }
        }

        /// The answer is to come from elsewhere, by another connection.
        mutating func redirected() -> [Effect] {
            switch condition {
            case .running:
                condition = .waiting
                return giveConnectionBack() + [.enterLine]
            case .paused:
                condition = .idle
                return giveConnectionBack()
            case .idle, .waiting, .ended:
                return []
            }
        }

        private mutating func giveConnectionBack() -> [Effect] {
            defer { hasConnection = false }
            return connection
        }

        /// The answer is complete, or something has gone wrong.
        mutating func finished() -> [Effect] {
            guard condition == .running || condition == .paused else { return [] }
            condition = .ended
            return [.stopClock] + connection + [.end]
        }

        private var connection: [Effect] { hasConnection ? [.giveConnectionBack] : [] }

        /// The app cancels, or the time for the whole resource has passed.
        mutating func stop() -> [Effect] {
            defer { condition = .ended }
            switch condition {
            case .idle: return [.stopClock, .end]
            case .waiting: return [.stopClock, .leaveLine, .end]
            case .running, .paused: return [.stopClock, .stop] + connection + [.end]
            case .ended: return []
            }
        }
    }
}
