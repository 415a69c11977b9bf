package import FerryHTTP

/// Decides whether and when a failed download is tried again.
package struct RetryPolicy: Hashable, Sendable {
    /// What to do after a failure.
    package enum Decision: Hashable, Sendable {
        /// Try again when this much time has passed.
        case retry(after: Duration)
        /// Trying again would not help.
        case isFinal
    }

    /// How much of a delay is random, so that clients do not return all at once.
    package enum Jitter: Hashable, Sendable {
        /// All of it: 0 up to the delay.
        case full
        /// Its second half.
        case equal
    }

    /// The delay after the first failure in a row, 1 s by default.
    package var firstDelay: Duration
    /// The factor by which each further delay is longer, 2 by default.
    package var factor: Double
    /// The longest delay, 300 s by default; a server's `Retry-After` may ask for more.
    package var maximumDelay: Duration
    /// How a delay is spread; `equal` by default.
    package var jitter: Jitter
    /// How often in a row a server may say that it is unavailable before its response counts as the answer.
    ///
    /// Default: 10. With ``statuses`` and ``maximumAttempts``, those decide.
    package var maximumUnavailableResponses: Int
    /// How many attempts in a row may fail before the transfer does; `nil`, the default, for as many as there
    /// is time for.
    ///
    /// A row ends when there are more bytes than ever before.
    package var maximumAttempts: Int?
    /// How many attempts in a row may fail while the server has never responded, even if there is none; `nil`,
    /// the default, for as many as others.
    package var maximumUnansweredAttempts: Int?
    /// The response statuses that are retried; `nil`, the default, for those that say that the server is
    /// unavailable (408, 429, 500 to 599) if there are bytes to lose or the server says when to retry.
    package var statuses: Set<Int>?
    /// Whether a transfer with bytes waits for another address when its own has expired; `false` by default.
    ///
    /// The old address is asked again meanwhile, after up to ``linkDelay``.
    package var holdsExpiredLinks: Bool

    /// Makes a policy.
    package init(
        firstDelay: Duration = .seconds(1),
        factor: Double = 2,
        maximumDelay: Duration = .seconds(300),
        jitter: Jitter = .equal,
        maximumUnavailableResponses: Int = 10,
        maximumAttempts: Int? = nil,
        maximumUnansweredAttempts: Int? = nil,
        statuses: Set<Int>? = nil,
        holdsExpiredLinks: Bool = false
    ) {
        self.firstDelay = firstDelay
        self.factor = factor
        self.maximumDelay = maximumDelay
        self.jitter = jitter
        self.maximumUnavailableResponses = maximumUnavailableResponses
        self.maximumAttempts = maximumAttempts
        self.maximumUnansweredAttempts = maximumUnansweredAttempts
        self.statuses = statuses
        self.holdsExpiredLinks = holdsExpiredLinks
    }

    /// The longest delay before an expired address is asked again.
    package static let linkDelay = Duration.seconds(3600)

    /// The shortest delay that an app can set, 100 ms.
    ///
    /// Without it, a server that fails at once would be asked as often as this machine can.
    package static let leastDelay = Duration.milliseconds(100)

    /// Sets the delays that an app wants, but none shorter than ``leastDelay``.
    ///
    /// - Parameters:
    ///   - first: The delay after the first failure in a row; `nil` keeps the current one.
    ///   - factor: The factor by which each further delay is longer; `nil` keeps the current one.
    ///   - maximum: The longest delay; `nil` keeps the current one.
    package mutating func setDelays(first: Duration?, factor: Double?, maximum: Duration?) {
        firstDelay = first.map { max($0, Self.leastDelay) } ?? firstDelay
        self.factor = factor.map { max($0, 1) } ?? self.factor
        maximumDelay = maximum.map { max($0, Self.leastDelay) } ?? maximumDelay
    }

    /// Returns how to treat a response that says that the server is unavailable, after `count` such responses
    /// in a row.
    package func unavailableResponses(after count: Int) -> Download.UnavailableResponses {
        // The response to the last attempt is final. Who names statuses and a number of attempts means these.
        let greatest =
            statuses == nil || maximumAttempts == nil ? maximumUnavailableResponses : .max
        let limit = min(greatest, (maximumAttempts ?? .max) - 1)
        return count < limit ? .fail : .deliver
    }

    /// Decides about a failure.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - failureCount: The number of failures in a row, including this one; a row ends when there are more
    ///     bytes than ever before. 0 for one that does not count.
    ///   - hasAnswered: Whether the server has answered one of the attempts.
    ///   - timeLeft: The time until the transfer's deadline, which no delay exceeds: the owner of the deadline
    ///     ends the transfer then. `nil` for none.
    ///   - generator: The source of randomness.
    /// - Returns: Whether to try again, and when.
    package func decision(
        for error: TransferError,
        failureCount: Int,
        hasAnswered: Bool = true,
        timeLeft: Duration? = nil,
        using generator: inout some RandomNumberGenerator
    ) -> Decision {
        let limits = [maximumAttempts, hasAnswered ? nil : maximumUnansweredAttempts]
        guard isRetried(error, hasAnswered: hasAnswered),
            limits.allSatisfy({ $0.map { failureCount < $0 } ?? true })
        else { return .isFinal }
        let longest =
            error.code == .linkExpired ? max(maximumDelay, Self.linkDelay) : maximumDelay
        var wait = delay(failureCount: failureCount, upTo: longest, using: &generator)
        if let asked = error.retryAfter, asked > 0 {
            // Beyond a lifetime the number no longer matters, but it could overflow.
            wait = max(wait, .seconds(min(asked, 1e9)))
        }
        if let timeLeft { wait = min(wait, max(timeLeft, .zero)) }
        return .retry(after: wait)
    }

    /// The delay after a number of failures in a row.
    private func delay(
        failureCount: Int,
        upTo longest: Duration,
        using generator: inout some RandomNumberGenerator
    ) -> Duration {
        var delay = min(firstDelay, longest)
        var left = failureCount - 1
        while left > 0, delay < longest, factor > 1 {
            delay = min(delay * factor, longest)
            left -= 1
        }
        // From 0 up to 1, with the bits that a double has room for.
        let chance = Double(generator.next() >> 11) / Double(1 << 53 as UInt64)
        return switch jitter {
        case .full: delay * chance
        case .equal: delay * (0.5 + chance / 2)
        }
    }

    /// Whether a failure may be temporary.
    private func isRetried(_ error: TransferError, hasAnswered: Bool) -> Bool {
        switch error.code {
        // HTTP-8: the wrong port, as a rule. One that has spoken TLS before may be behind a portal for now.
        case .serverWithoutTLS:
            hasAnswered
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .connectionLost, .notConnected,
            .serverUnavailable, .fileUnreachable, .outOfMemory:
            true
        // The upload can only start over.
        case .uploadGone:
            true
        // A connection that is interrupted during its handshake fails like this, too.
        case .secureConnectionFailed:
            true
        case .answerDoubted:
            true
        case .linkExpired:
            holdsExpiredLinks
        // An address that cannot be sent needs to be replaced as well.
        case .unsupportedURL, .badURL:
            holdsExpiredLinks && error.holdsBytes
        // The server was good for the bytes that are here: between it and this machine there is another now, such as
        // that of a captive portal.
        case .certificateUntrusted, .certificateBadDate, .badServerResponse, .tooManyRedirects,
            .redirectToNonHTTP, .proxyAuthenticationRequired:
            error.holdsBytes
        case .cancelled, .resourceTimedOut, .errorResponse, .digestMismatch, .cannotDecodeContent,
            .clientCertificateRejected, .bodyUnreadable, .bodySpent, .answerLost, .cannotCreateFile,
            .cannotWriteToFile, .diskFull, .fileMissing, .fileChanged, .fileUnreadable,
            .responseTooLong,
            .resumeDataInvalid, .backgroundSessionInUse, .backgroundSessionDisconnected,
            .internalFailure:
            false
        }
    }
}

/// The time that a server wants before the next request (RFC 9110 §10.2.3).
package struct RetryAfter: Hashable, Sendable {
    /// Seconds from the response on, 0 or more.
    package let seconds: Double

    /// Reads the field of a response; `nil` when it is missing or malformed.
    ///
    /// A date is relative to the response's own `Date` if it has one, so that a wrong clock on either side does
    /// not matter.
    package init?(head: HTTPResponseHead, now: HTTPDate) {
        guard let value = head.fields.first(named: "Retry-After") else { return nil }
        if let delay = Int64(httpDigits: value) {
            seconds = Double(delay)
        } else if let date = HTTPDate(value, currentYear: now.year) {
            let sent = head.fields.first(named: "Date")
                .flatMap { HTTPDate($0, currentYear: now.year) }
            let wait = date.secondsSince1970 - (sent ?? now).secondsSince1970
            seconds = Double(max(0, wait))
        } else {
            return nil
        }
    }
}
