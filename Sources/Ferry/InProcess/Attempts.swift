import FerryTransfer

/// The attempts in a row of a transfer that have failed.
struct Attempts {
    private var failureCount = 0
    /// Those without a network, which count for nothing but the pauses.
    private var offlineCount = 0
    private var unavailableCount = 0
    private var hasAnswered = false
    /// How many bytes there were at most.
    private var mostByteCount: Int64 = 0

    /// The server has answered.
    mutating func responded() {
        hasAnswered = true
        offlineCount = 0
    }

    /// Bytes have arrived.
    ///
    /// A new row begins where there are more than ever: a server that has the same bytes come again and again would
    /// else be asked without end, and without a pause.
    mutating func progressed(to received: Int64) {
        guard received > mostByteCount else { return }
        mostByteCount = received
        failureCount = 0
        offlineCount = 0
        unavailableCount = 0
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
        guard var policy = retry?.policy else { return nil }
        if error.code == .notConnected {
            offlineCount += 1
            policy.maximumAttempts = nil
            policy.maximumUnansweredAttempts = nil
        } else {
            failureCount += 1
            offlineCount = 0
        }
        if error.code == .serverUnavailable {
            hasAnswered = true
            unavailableCount += 1
        }
        // The thread sanitizer looks at the address of what is handed over, and the generator itself has none.
        var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        let decision = policy.decision(
            for: error,
            failureCount: failureCount + offlineCount,
            hasAnswered: hasAnswered,
            using: &random
        )
        switch decision {
        case .retry(let delay): return delay
        case .isFinal: return nil
        }
    }
}
