import FerryTransfer

/// The consecutive failed attempts of a transfer.
struct Attempts {
    private var failureCount = 0
    /// The attempts without a network, which count for the delays only.
    private var offlineCount = 0
    private var unavailableCount = 0
    private var hasAnswered = false
    /// The greatest number of bytes received so far.
    private var mostByteCount: Int64 = 0

    /// Records that the server has answered.
    mutating func responded() {
        hasAnswered = true
        offlineCount = 0
    }

    /// Records that bytes have arrived.
    ///
    /// The counts restart only if there are more bytes than ever before. Otherwise a server that sends the same bytes
    /// again and again would be asked forever, and without a pause.
    mutating func progressed(to received: Int64) {
        guard received > mostByteCount else { return }
        mostByteCount = received
        failureCount = 0
        offlineCount = 0
        unavailableCount = 0
    }

    /// Returns how the next attempt treats a response that says that the server is unavailable.
    func unavailableResponses(
        by retry: TransferOptions.Retry?
    ) -> Download.UnavailableResponses {
        retry?.policy.unavailableResponses(after: unavailableCount) ?? .deliver
    }

    /// Returns the delay before the next attempt.
    ///
    /// - Parameters:
    ///   - error: The failure of the last attempt.
    ///   - options: The task's options.
    /// - Returns: nil if there is no next attempt.
    mutating func delay(
        after error: TransferError,
        by options: TransferOptions
    ) -> Duration? {
        // Without rules, a link that has expired is all that is waited for.
        let holdsLink = options.holdsExpiredLinks && error.code == .linkExpired
        let rules = options.retry ?? (holdsLink ? TransferOptions.Retry() : nil)
        guard var policy = rules?.policy else { return nil }
        policy.holdsExpiredLinks = options.holdsExpiredLinks
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
        // The thread sanitizer inspects the address of the argument, and the generator itself has none.
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
