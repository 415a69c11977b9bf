extension Application {
    /// Decides when the events that a process was started for are delivered, and keeps the tasks that wait for that.
    struct LaunchEvents {
        private enum Condition {
            /// The process was not started for events, or they have been handled.
            case handled
            /// The delegate has not been called yet.
            case pending(sessionIdentifier: String)
            /// The delegate has been called and has not called the completion handler yet.
            case delivered
        }

        private var condition: Condition
        private var waiting: [CheckedContinuation<Void, Never>] = []

        init(reason: LaunchReason) {
            condition =
                switch reason {
                case .user: .handled
                case .backgroundURLSession(let identifier): .pending(sessionIdentifier: identifier)
                }
        }

        /// The session whose events are to be delivered now; nil if there is nothing to deliver.
        mutating func deliver() -> String? {
            guard case .pending(let sessionIdentifier) = condition else { return nil }
            condition = .delivered
            return sessionIdentifier
        }

        /// Returns whether the events are already handled; if not, keeps the continuation.
        mutating func wait(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
            switch condition {
            case .handled:
                return true
            case .pending, .delivered:
                waiting.append(continuation)
                return false
            }
        }

        /// The continuations to resume now that the completion handler was called.
        mutating func wereHandled() -> [CheckedContinuation<Void, Never>] {
            condition = .handled
            defer { waiting = [] }
            return waiting
        }
    }
}
