extension Application {
    /// Decides when the events a process was started for are delivered, and who waits for that.
    struct LaunchEvents {
        private enum Condition {
            /// The process was started for nothing in particular, or all of it is handled.
            case handled
            /// The delegate has not been told yet.
            case pending(sessionIdentifier: String)
            /// The delegate has been told and has not called the completion handler yet.
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

        /// Whether all is handled already; if not, the continuation is kept.
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
