extension DataTransfer {
    /// Decides what a data task in the app's own process does next; performs nothing itself.
    struct StateMachine {
        private enum Condition: Equatable {
            /// Suspended, or not resumed yet, and without connection.
            case idle
            /// In line for a connection.
            case waiting
            /// Has one.
            case running
            /// Suspended, with one.
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

        var hasEnded: Bool { condition == .ended }

        /// Whether the body waits because the task is suspended.
        var isPaused: Bool { condition == .paused }

        mutating func resume() -> [Effect] {
            switch condition {
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

        mutating func suspend() -> [Effect] {
            switch condition {
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
            return [.start]
        }

        /// The answer is complete, or something has gone wrong.
        mutating func finished() -> [Effect] {
            guard condition == .running || condition == .paused else { return [] }
            condition = .ended
            return [.stopClock, .giveConnectionBack, .end]
        }

        /// The app cancels, or the time for the whole resource has passed.
        mutating func stop() -> [Effect] {
            defer { condition = .ended }
            switch condition {
            case .idle: return [.stopClock, .end]
            case .waiting: return [.stopClock, .leaveLine, .end]
            case .running, .paused: return [.stopClock, .stop, .giveConnectionBack, .end]
            case .ended: return []
            }
        }
    }
}
