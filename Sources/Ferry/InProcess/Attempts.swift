import FerryTransfer

/// The attempts in a row of a transfer that have failed.
struct Attempts {
    private var failureCount = 0
    private var unavailableCount = 0
    private var byteCount: Int64 = 0
    private var hasAnswered = false

    /// Bytes have arrived, which begins a new row.
    mutating func progressed(to received: Int64) {
        if received > byteCount {
            hasAnswered = true
            failureCount = 0
            unavailableCount = 0
        }
        byteCount = received
    }

    /// What the next attempt is to do with an answer that says that the server is unavailable.
    func unavailableResponses(
        by retry: TransferOptions.Retry?
    ) -> Download.UnavailableResponses {
        retry?.policy.unavailableResponses(after: unavailableCount) ?? .deliver
    }

    /// How long to wait until the next attempt.
    ///
    /// - Parameters:
    ///   - error: Why the last one has failed.
    ///   - retry: What the app wants.
    /// - Returns: nil where there is no other one.
    mutating func delay(
        after error: TransferError,
        by retry: TransferOptions.Retry?
    ) -> Duration? {
        guard let retry else { return nil }
        failureCount += 1
        if error.code == .serverUnavailable {
            hasAnswered = true
            unavailableCount += 1
        }
        var random = SystemRandomNumberGenerator()
        let decision = retry.policy.decision(
            for: error,
            failureCount: failureCount,
            hasAnswered: hasAnswered,
            using: &random
        )
        switch decision {
        case .retry(let delay): return delay
        case .isFinal: return nil
        }
    }
}
