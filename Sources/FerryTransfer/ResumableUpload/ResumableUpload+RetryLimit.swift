extension ResumableUpload {
    /// Decides whether and when an upload continues after interruptions.
    struct RetryLimit {
        private let interruptions: Interruptions
        private let unavailableResponses: Download.UnavailableResponses
        /// How often in a row the upload was interrupted without progress, and since when.
        private var failureCount = 0
        private var firstFailure: ContinuousClock.Instant?

        init(_ configuration: Configuration) {
            interruptions = configuration.interruptions
            unavailableResponses = configuration.unavailableResponses
        }

        /// Ends a row of failures after progress.
        mutating func progressed() {
            failureCount = 0
            firstFailure = nil
        }

        /// Starts the time again after a pause, which does not count.
        mutating func renew() { firstFailure = nil }

        /// Decides about an interruption.
        ///
        /// - Parameters:
        ///   - error: The failure.
        ///   - now: When it happened.
        ///   - generator: The source of randomness.
        /// - Returns: The time after which the upload continues; `nil` if it fails.
        mutating func delay(
            after error: TransferError,
            at now: Moment,
            using generator: inout some RandomNumberGenerator
        ) -> Duration? {
            guard case .proceed(let policy, let timeout) = interruptions else { return nil }
            failureCount += 1
            firstFailure = firstFailure ?? now.instant
            let timeLeft = timeLeft(of: timeout, at: now)
            if let timeLeft, timeLeft <= .zero { return nil }
            let decision = policy.decision(
                for: error,
                failureCount: failureCount,
                timeLeft: timeLeft,
                using: &generator
            )
            guard case .retry(let delay) = decision else { return nil }
            return delay
        }

        /// Returns whether an unavailable server counts as an interruption, so that its response is not the
        /// answer.
        func outlastsUnavailability(at now: Moment) -> Bool {
            switch interruptions {
            case .isFailure:
                unavailableResponses == .fail
            case .proceed(let policy, let timeout):
                failureCount < policy.maximumUnavailableResponses
                    && timeLeft(of: timeout, at: now) ?? .seconds(1) > .zero
            }
        }

        private func timeLeft(of timeout: Duration?, at now: Moment) -> Duration? {
            guard let timeout else { return nil }
            return timeout - (firstFailure.map { now.instant - $0 } ?? .zero)
        }
    }
}
