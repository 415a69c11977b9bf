package import FerryHTTP
package import FerrySystem

/// Decides for an app that may not be there: redirects are followed, and only challenges are asked about.
package final class BackgroundDecider: LoadDecider {
    private let challenges: (any ChallengeDecider)?
    private let onSent: @LoopActor (Int64) -> Void
    private let onCollect: @LoopActor (LoadTransaction) -> Void

    /// Makes a decider.
    ///
    /// - Parameters:
    ///   - challenges: Who decides about challenges; without one, a response that asks for a password is the
    ///     answer, and servers are trusted by their certificates.
    ///   - onSent: Called when more of the request's body has left, with how much of it in all.
    ///   - onCollect: Called when a request has ended, with what it has cost.
    package init(
        challenges: (any ChallengeDecider)?,
        onSent: @escaping @LoopActor (Int64) -> Void = { _ in },
        onCollect: @escaping @LoopActor (LoadTransaction) -> Void = { _ in }
    ) {
        self.challenges = challenges
        self.onSent = onSent
        self.onCollect = onCollect
    }

    package func load(
        _ load: Load,
        prepare request: TransferRequest,
        then send: @escaping @LoopActor ([HTTPField]) -> Void
    ) { send([]) }

    package func load(_ load: Load, hasApproved trust: HTTPServerTrust) -> Bool {
        challenges?.hasApproved(trust) ?? false
    }

    package func load(_ load: Load, identityFor request: TransferRequest) -> HTTPIdentity? {
        challenges?.identity(for: request)
    }

    package func load(
        _ load: Load,
        mayRedirectTo request: TransferRequest,
        for head: HTTPResponseHead,
        then follow: @escaping @LoopActor (TransferRequest?) -> Void
    ) { follow(request) }

    package func load(
        _ load: Load,
        decideOn challenge: LoadChallenge,
        then answer: @escaping @LoopActor (LoadChallengeAnswer) -> Void
    ) {
        guard let challenges else { return answer(.performDefaultHandling) }
        challenges.decide(on: challenge, then: answer)
    }

    package func load(_ load: Load, didSendBodyBytes byteCount: Int64) { onSent(byteCount) }

    package func load(_ load: Load, resumesBodyAt offset: Int64) { onSent(offset) }

    package func load(_ load: Load, didCollect transaction: LoadTransaction) {
        onCollect(transaction)
    }
}

/// Who decides about challenges to a transfer whose app is somewhere else.
@LoopActor package protocol ChallengeDecider: AnyObject {
    /// Says whether certificates were approved before that a connection's server shows.
    func hasApproved(_ trust: HTTPServerTrust) -> Bool

    /// The identity that was used before where a request goes; `nil` for none.
    func identity(for request: TransferRequest) -> HTTPIdentity?

    /// Decides about a challenge.
    ///
    /// - Parameters:
    ///   - challenge: What is asked.
    ///   - answer: Called once, from inside of the call or later.
    func decide(
        on challenge: LoadChallenge,
        then answer: @escaping @LoopActor (LoadChallengeAnswer) -> Void
    )
}

/// Who a client is without being asked: to the server of a task's own request, and to no other.
package struct OwnIdentity: Sendable {
    private let identity: HTTPIdentity
    private let origin: Origin

    /// Makes one; `nil` where the address is none.
    ///
    /// - Parameters:
    ///   - identity: Who the client is.
    ///   - url: The task's own address.
    package init?(_ identity: HTTPIdentity, meantFor url: String?) {
        guard let origin = url.flatMap({ Origin(url: $0) }) else { return nil }
        self.identity = identity
        self.origin = origin
    }

    /// Who the client is to the server of a request; `nil` for nobody.
    package func identity(for request: TransferRequest) -> HTTPIdentity? {
        Origin(url: request.url) == origin ? identity : nil
    }
}
