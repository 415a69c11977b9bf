package import FerryHTTP
import FerrySystem

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
