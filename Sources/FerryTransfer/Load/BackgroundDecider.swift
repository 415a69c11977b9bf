package import FerryHTTP
package import FerrySystem
import FoundationEssentials

/// Decides for an app that may not be running: redirects are followed, and only challenges are asked about.
///
/// The cookies that its servers set are sent to them again, as far as the app allows, and forgotten at its end.
package final class BackgroundDecider: LoadDecider {
    private let challenges: (any ChallengeDecider)?
    private let onSent: @LoopActor (Int64) -> Void
    private let onCollect: @LoopActor (LoadTransaction) -> Void
    private var cookies: TransferCookies

    /// Makes a decider.
    ///
    /// - Parameters:
    ///   - challenges: Decides about challenges; without it, a response that asks for a password is final, and
    ///     servers are trusted by their certificates.
    ///   - cookies: Those that the app has given.
    ///   - onSent: Called when more of the request's body was sent, with the total number of bytes.
    ///   - onCollect: Called when a request has ended, with its metrics.
    package init(
        challenges: (any ChallengeDecider)?,
        cookies: [Cookie] = [],
        onSent: @escaping @LoopActor (Int64) -> Void = { _ in },
        onCollect: @escaping @LoopActor (LoadTransaction) -> Void = { _ in }
    ) {
        self.challenges = challenges
        self.cookies = TransferCookies(cookies)
        self.onSent = onSent
        self.onCollect = onCollect
    }

    package func load(
        _ load: Load,
        prepare request: TransferRequest,
        then send: @escaping @LoopActor ([HTTPField]) -> Void
    ) { send(cookies.field(for: request, at: Date()).map { [$0] } ?? []) }

    package func load(
        _ load: Load,
        didReceiveAny head: HTTPResponseHead,
        to request: TransferRequest
    ) { cookies.store(head, to: request, at: Date()) }

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

    /// Those that the process's monitor knows.
    package var conditions: Conditions {
        (ConditionsMonitor.shared.conditions ?? []).intersection(.network)
    }

    package func load(_ load: Load, didSendBodyBytes byteCount: Int64) { onSent(byteCount) }

    package func load(_ load: Load, resumesBodyAt offset: Int64) { onSent(offset) }

    package func load(_ load: Load, didCollect transaction: LoadTransaction) {
        onCollect(transaction)
    }
}

/// Decides about challenges to a transfer whose app is elsewhere.
@LoopActor package protocol ChallengeDecider: AnyObject {
    /// Returns whether the certificates that a server shows were approved before.
    func hasApproved(_ trust: HTTPServerTrust) -> Bool

    /// Returns the identity that was used before at a request's destination; `nil` for none.
    func identity(for request: TransferRequest) -> HTTPIdentity?

    /// Decides about a challenge.
    ///
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - answer: Called once, during the call or later.
    func decide(
        on challenge: LoadChallenge,
        then answer: @escaping @LoopActor (LoadChallengeAnswer) -> Void
    )
}

/// The identity that a client uses without being asked, only for the server of the task's request.
package struct OwnIdentity: Sendable {
    private let identity: HTTPIdentity
    private let origin: Origin

    /// Makes an identity; `nil` if the URL is invalid.
    ///
    /// - Parameters:
    ///   - identity: The client's identity.
    ///   - url: The task's URL.
    package init?(_ identity: HTTPIdentity, meantFor url: String?) {
        guard let origin = url.flatMap({ Origin(url: $0) }) else { return nil }
        self.identity = identity
        self.origin = origin
    }

    /// Returns the client's identity for a request; `nil` for none.
    package func identity(for request: TransferRequest) -> HTTPIdentity? {
        Origin(url: request.url) == origin ? identity : nil
    }
}
