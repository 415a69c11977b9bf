extension DataTransfer {
    /// Decides what a data task in the app's own process does next; performs nothing itself.
    struct StateMachine {
        private enum Condition: Equatable {
            /// Suspended, or not resumed yet, and without connection.
            case idle
            /// In line for a connection.
            case waiting
            /// Has a connection, or shares that of another task.
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
            /// Pause the body, or continue it.
            case updateFlow
            /// Stop permanently.
            case stop
            case giveConnectionBack
            /// Start the clock of the resource timeout.
            case startClock
            case stopClock
            /// Report the end to the app.
            case end
        }

        private var condition = Condition.idle
        private var hasConnection = false

        /// Whether the task is suspended or not resumed yet, and has no connection.
        var isIdle: Bool { condition == .idle }

        /// Whether the task has no connection of its own.
        var isSharing: Bool { condition == .running && !hasConnection }

        var hasEnded: Bool { condition == .ended }

        /// Whether the body waits because the task is suspended.
        var isPaused: Bool { condition == .paused }

        /// - Parameter isJoining: Whether the task joins another task's request.
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

        /// - Parameter isLeaving: Whether a shared request continues without the task.
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

        /// A connection is available.
        mutating func admitted() -> [Effect] {
            guard condition == .waiting else { return [] }
            condition = .running
            hasConnection = true
            return [.start]
        }

        /// The shared request is no longer available: the task makes one of its own.
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

        /// The task was redirected and needs another connection.
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

        /// The response is complete or has failed.
        mutating func finished() -> [Effect] {
            guard condition == .running || condition == .paused else { return [] }
            condition = .ended
            return [.stopClock] + connection + [.end]
        }

        private var connection: [Effect] { hasConnection ? [.giveConnectionBack] : [] }

        /// The app cancels, or the resource timeout has expired.
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
