import FerryTransfer
import Testing

@Suite(.timeLimit(.minutes(5))) struct RetryPolicyTests {
    /// A source of chance that always says the same.
    private struct Constant: RandomNumberGenerator {
        var value: UInt64
        mutating func next() -> UInt64 { value }
    }

    private func decision(
        _ policy: RetryPolicy = RetryPolicy(),
        _ code: TransferError.Code = .connectionLost,
        failures: Int = 1,
        retryAfter: Double? = nil,
        timeLeft: Duration? = nil,
        chance: UInt64 = .max
    ) -> RetryPolicy.Decision {
        var generator = Constant(value: chance)
        return policy.decision(
            for: TransferError(code: code, message: "test", retryAfter: retryAfter),
            failureCount: failures,
            timeLeft: timeLeft,
            using: &generator
        )
    }

    private func seconds(_ decision: RetryPolicy.Decision) -> Double? {
        guard case .retry(let delay) = decision else { return nil }
        return delay / .seconds(1)
    }

    private func isNear(_ left: Double?, _ right: Double) -> Bool {
        left.map { abs($0 - right) < 1e-6 } ?? false
    }

    @Test func `REL-6: an app cannot ask for attempts without a pause`() {
        var policy = RetryPolicy()
        policy.setDelays(first: .zero, factor: 0, maximum: .zero)
        for failures in [1, 2, 100] {
            #expect(isNear(seconds(decision(policy, failures: failures)), 0.1))
            #expect(isNear(seconds(decision(policy, failures: failures, chance: 0)), 0.05))
        }
        policy.setDelays(first: .seconds(-5), factor: nil, maximum: .seconds(7))
        #expect(policy.firstDelay == .milliseconds(100))
        #expect(policy.factor == 1)
        #expect(policy.maximumDelay == .seconds(7))
        policy.setDelays(first: nil, factor: 3, maximum: nil)
        #expect(policy.firstDelay == .milliseconds(100))
        #expect(policy.factor == 3)
        #expect(policy.maximumDelay == .seconds(7))
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 4), (4, 8), (9, 256), (10, 300), (11, 300), (.max, 300)])
    func `the delay doubles up to five minutes`(failures: Int, expected: Double) {
        #expect(isNear(seconds(decision(failures: failures)), expected))
    }

    @Test func `as many attempts are made as the app wants, and no more`() {
        let policy = RetryPolicy(maximumAttempts: 3)
        #expect(decision(policy, failures: 2) != .isFinal)
        #expect(decision(policy, failures: 3) == .isFinal)
        #expect(decision(RetryPolicy(maximumAttempts: 1), failures: 1) == .isFinal)
    }

    @Test func `half of a delay is left to chance`() {
        #expect(isNear(seconds(decision(failures: 3, chance: 0)), 2))
        #expect(isNear(seconds(decision(failures: 3, chance: .max)), 4))
    }

    @Test func `all of a delay can be left to chance`() {
        let policy = RetryPolicy(jitter: .full)
        #expect(isNear(seconds(decision(policy, failures: 3, chance: 0)), 0))
        #expect(isNear(seconds(decision(policy, failures: 3, chance: .max)), 4))
    }

    @Test func `every delay lies within its bounds`() {
        var generator = SystemRandomNumberGenerator()
        let error = TransferError(code: .timedOut, message: "test")
        for failures in 0..<1000 {
            let result = RetryPolicy().decision(
                for: error,
                failureCount: failures,
                using: &generator
            )
            let delay = seconds(result) ?? -1
            #expect((0.5...300).contains(delay))
        }
    }

    @Test(arguments: [0, 1, 0.5])
    func `a factor that does not grow is no endless loop`(factor: Double) {
        let policy = RetryPolicy(factor: factor)
        #expect(isNear(seconds(decision(policy, failures: .max)), 1))
    }

    @Test func `Retry-After is a lower bound`() {
        #expect(seconds(decision(retryAfter: 120)) == 120)
        #expect(seconds(decision(retryAfter: 7200)) == 7200)
        #expect(isNear(seconds(decision(failures: 9, retryAfter: 10)), 256))
        #expect(isNear(seconds(decision(retryAfter: 0)), 1))
        #expect(isNear(seconds(decision(retryAfter: -5)), 1))
        #expect(seconds(decision(retryAfter: 1e300)) == 1e9)
    }

    @Test func `BG-17: no delay exceeds the deadline`() {
        #expect(seconds(decision(retryAfter: 1e300, timeLeft: .seconds(5))) == 5)
        #expect(seconds(decision(failures: 9, timeLeft: .seconds(5))) == 5)
        #expect(seconds(decision(failures: 9, timeLeft: .seconds(-5))) == 0)
        #expect(isNear(seconds(decision(timeLeft: .seconds(604_800))), 1))
    }

    @Test(arguments: TransferError.Code.allCases)
    func `BG-16, BG-18: what may pass by itself is tried again`(code: TransferError.Code) {
        let retried: Set<TransferError.Code> = [
            .timedOut, .cannotFindHost, .cannotConnectToHost, .connectionLost, .notConnected,
            .secureConnectionFailed, .serverUnavailable, .fileUnreachable, .outOfMemory,
            .uploadGone, .answerDoubted, .serverWithoutTLS,
        ]
        #expect((decision(RetryPolicy(), code) != .isFinal) == retried.contains(code))
    }

    @Test func `after ten unavailable responses in a row the next is the answer`() {
        let policy = RetryPolicy()
        #expect(policy.unavailableResponses(after: 0) == .fail)
        #expect(policy.unavailableResponses(after: 9) == .fail)
        #expect(policy.unavailableResponses(after: 10) == .deliver)
    }

    @Test func `who names statuses and a number of attempts has that number made`() {
        for (policy, count) in [
            (RetryPolicy(maximumAttempts: 20, statuses: [503]), 19),
            (RetryPolicy(maximumAttempts: 3, statuses: [503]), 2),
            (RetryPolicy(maximumAttempts: 20), 10), (RetryPolicy(statuses: [503]), 10),
        ] {
            #expect(policy.unavailableResponses(after: count - 1) == .fail)
            #expect(policy.unavailableResponses(after: count) == .deliver)
        }
    }

    @Test(arguments: [true, false])
    func `HTTP-8: a port without TLS is final, unless TLS was spoken there before`(
        hasAnswered: Bool
    ) {
        var generator = Constant(value: 0)
        let decision = RetryPolicy().decision(
            for: TransferError(code: .serverWithoutTLS, message: "test"),
            failureCount: 1,
            hasAnswered: hasAnswered,
            using: &generator
        )
        #expect((decision == .isFinal) == !hasAnswered)
    }

    @Test func `USE-3: attempts that nobody has answered have a number of their own`() {
        let policy = RetryPolicy(maximumUnansweredAttempts: 2)
        let error = TransferError(code: .connectionLost, message: "test")
        var generator = Constant(value: 0)
        let decisions = [(1, false), (2, false), (2, true)].map { failures, hasAnswered in
            policy.decision(
                for: error,
                failureCount: failures,
                hasAnswered: hasAnswered,
                using: &generator
            )
        }
        #expect(decisions.map { seconds($0) == nil } == [false, true, false])
    }
}
