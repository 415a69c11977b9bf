import FerryTransfer

extension InProcessDownload {
    /// Decides what a download in the app's own process does next; performs nothing itself.
    struct StateMachine {
        private enum Condition: Equatable {
            /// Suspended, or not resumed yet.
            case idle
            /// In line for a connection.
            case waiting
            /// Receives, by a connection of its own or another task's.
            case running
            /// Waits for the next attempt after a failed one, or for another address.
            case backingOff
            case ended
        }

        enum Effect: Equatable {
            /// Enter the line for a connection.
            case enterLine
            case leaveLine
            /// Start to receive, or continue.
            case start
            /// Stop receiving and keep the bytes.
            case stop
            case giveConnectionBack
            /// Start the clock of the resource timeout.
            case startClock
            case stopClock
            /// Wait for the duration, and call ``retryTimePassed()``.
            case backOff(Duration)
            case endBackOff
            /// Ask the app for another address, and call ``retryTimePassed()`` or ``relinked()``.
            case askForLink
            /// Deliver the file to the app.
            case publish(DownloadResult)
            /// Report an error to the app; the file is kept if the error's resume data needs it.
            case fail(TransferError, keepsFile: Bool)
        }

        private var condition = Condition.idle
        private var hasConnection = false
        /// Whether the file of an earlier task is being taken over; nothing can start before that.
        private var isAdopting: Bool
        /// A failure that occurred before it could be reported.
        private var pendingFailure: (error: TransferError, keepsFile: Bool)?

        init(isAdopting: Bool) {
            self.isAdopting = isAdopting
        }

        /// Whether nothing runs or waits to run.
        var isIdle: Bool { condition == .idle }

        /// Whether the download receives over another task's connection.
        var isSharing: Bool { condition == .running && !hasConnection }

        /// - Parameter isJoining: Whether the task joins another task's load.
        /// - Returns: What to do.
        mutating func resume(isJoining: Bool = false) -> [Effect] {
            switch condition {
            case .idle:
                if let pendingFailure, !isAdopting { return end([], pendingFailure) }
                if isJoining {
                    condition = .running
                    return [.startClock, .start]
                }
                condition = .waiting
                return isAdopting ? [.startClock] : [.startClock, .enterLine]
            case .waiting, .running, .backingOff, .ended:
                return []
            }
        }

        mutating func suspend() -> [Effect] {
            switch condition {
            case .waiting:
                condition = .idle
                return isAdopting ? [.stopClock] : [.stopClock, .leaveLine]
            case .running:
                condition = .idle
                return [.stopClock, .stop] + connection()
            case .backingOff:
                condition = .idle
                return [.stopClock, .endBackOff]
            case .idle, .ended:
                return []
            }
        }

        /// The app cancels.
        mutating func cancel(_ error: TransferError, producingResumeData: Bool) -> [Effect] {
            stop((error, producingResumeData))
        }

        /// The resource timeout has expired.
        mutating func timeRanOut(_ error: TransferError) -> [Effect] {
            stop((error, true))
        }

        /// A connection is available.
        mutating func admitted() -> [Effect] {
            switch condition {
            case .waiting:
                condition = .running
                hasConnection = true
                return [.start]
            case .idle, .running, .backingOff, .ended:
                return []
            }
        }

        /// The shared load is no longer this task's: it makes one of its own.
        mutating func released() -> [Effect] {
            guard isSharing else { return [] }
            condition = .waiting
            return [.stop, .enterLine]
        }

        /// The connection of the shared load belongs to this task from now on.
        mutating func inheritConnection() {
            if condition == .running { hasConnection = true }
        }

        mutating func finished(_ result: DownloadResult) -> [Effect] {
            guard condition == .running else { return [] }
            condition = .ended
            return [.stopClock] + connection() + [.publish(result)]
        }

        /// - Parameters:
        ///   - error: The failure of the attempt.
        ///   - delay: The delay before the next attempt; nil if there is none.
        /// - Returns: What to do.
        mutating func failed(
            _ error: TransferError,
            retriesAfter delay: Duration? = nil
        ) -> [Effect] {
            guard condition == .running else { return [] }
            if let delay {
                condition = .backingOff
                return connection() + [.backOff(delay)]
            }
            return end([.stopClock] + connection(), (error, true))
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
            case .waiting where !isAdopting: return [.leaveLine]
            case .running: return [.stop] + connection()
            case .backingOff: return [.endBackOff]
            case .idle, .waiting, .ended: return []
            }
        }

        /// The resource has another address.
        mutating func relinked() -> [Effect] {
            switch condition {
            case .waiting where isAdopting: return []
            case .waiting, .running, .backingOff:
                condition = .waiting
                return [.enterLine]
            case .idle, .ended: return []
            }
        }

        /// It is time for the next attempt.
        mutating func retryTimePassed() -> [Effect] {
            guard condition == .backingOff else { return [] }
            condition = .waiting
            return [.enterLine]
        }

        /// The file of an earlier task was taken over, or could not be.
        ///
        /// The error is reported when the task is resumed, because a session creates no failed tasks.
        mutating func adopted(_ error: TransferError?) -> [Effect] {
            isAdopting = false
            if pendingFailure == nil, let error { pendingFailure = (error, false) }
            switch condition {
            case .idle:
                return []
            case .waiting:
                guard let pendingFailure else { return [.enterLine] }
                return end([.stopClock], pendingFailure)
            case .running, .backingOff, .ended:
                guard let pendingFailure else { return [] }
                return [.fail(pendingFailure.error, keepsFile: pendingFailure.keepsFile)]
            }
        }

        private mutating func stop(_ failure: (TransferError, Bool)) -> [Effect] {
            switch condition {
            case .ended:
                return []
            case .running:
                return end([.stopClock, .stop] + connection(), failure)
            case .backingOff:
                return end([.stopClock, .endBackOff], failure)
            case .idle, .waiting:
                let wasInLine = condition == .waiting && !isAdopting
                guard isAdopting else {
                    return end(wasInLine ? [.stopClock, .leaveLine] : [.stopClock], failure)
                }
                // Whether the file is kept is decided after it was taken over.
                pendingFailure = failure
                condition = .ended
                return [.stopClock]
            }
        }

        /// Returns the effect that gives back the task's own connection, if there is one.
        private mutating func connection() -> [Effect] {
            defer { hasConnection = false }
            return hasConnection ? [.giveConnectionBack] : []
        }

        private mutating func end(
            _ effects: [Effect],
            _ failure: (error: TransferError, keepsFile: Bool)
        ) -> [Effect] {
            condition = .ended
            return effects + [.fail(failure.error, keepsFile: failure.keepsFile)]
        }
    }
}
