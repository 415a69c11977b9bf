package import FerryHTTP
package import FerrySystem

/// Decides for the app how a load proceeds, and receives events that the receiver does not.
///
/// Continuations are called once, during the call or later; calls after the load's end do nothing.
@LoopActor package protocol LoadDecider: AnyObject {
    /// Completes a request, the first one or a later one, with fields such as cookies.
    ///
    /// - Parameters:
    ///   - load: The load.
    ///   - request: The request as it would be sent.
    ///   - send: Sends it with more fields.
    func load(
        _ load: Load,
        prepare request: TransferRequest,
        then send: @escaping @LoopActor ([HTTPField]) -> Void
    )

    /// Returns whether the certificates that a server shows were approved before.
    func load(_ load: Load, hasApproved trust: HTTPServerTrust) -> Bool

    /// Returns the identity that was used before at a request's destination; `nil` for none.
    func load(_ load: Load, identityFor request: TransferRequest) -> HTTPIdentity?

    /// Provides the request's body, from its start or from where an upload resumes.
    ///
    /// - Parameters:
    ///   - load: The load.
    ///   - offset: The offset at which to begin.
    ///   - send: Sends it; `nil` fails the load with ``TransferError/Code/bodySpent``.
    func loadNeedsBody(
        _ load: Load,
        from offset: Int64,
        then send: @escaping @LoopActor ((any HTTPBodySource)?) -> Void
    )

    /// Decides whether a redirect is followed.
    ///
    /// - Parameters:
    ///   - load: The load.
    ///   - request: The request that follows.
    ///   - head: The response that redirects.
    ///   - follow: Sends the given request next; `nil` makes the response the answer.
    func load(
        _ load: Load,
        mayRedirectTo request: TransferRequest,
        for head: HTTPResponseHead,
        then follow: @escaping @LoopActor (TransferRequest?) -> Void
    )

    /// Decides about a challenge.
    func load(
        _ load: Load,
        decideOn challenge: LoadChallenge,
        then answer: @escaping @LoopActor (LoadChallengeAnswer) -> Void
    )

    /// Called when more of the request's body was sent, with the total number of bytes.
    func load(_ load: Load, didSendBodyBytes byteCount: Int64)

    /// Called when an upload resumes its body at an offset; more may have been sent before.
    func load(_ load: Load, resumesBodyAt offset: Int64)

    /// Called for each interim response (1xx).
    func load(_ load: Load, didReceiveInformational head: HTTPResponseHead)

    /// Called for each response, even one that is not final, before anything is decided about it.
    func load(_ load: Load, didReceiveAny head: HTTPResponseHead, to request: TransferRequest)

    /// The conditions of the network, as far as they are known; for the metrics.
    var conditions: Conditions { get }

    /// Called when an exchange has ended; for the last one, before the receiver is notified of the end.
    func load(_ load: Load, didCollect transaction: LoadTransaction)
}

/// The default implementations, for deciders that do not need these calls.
extension LoadDecider {
    /// Provides no body.
    package func loadNeedsBody(
        _ load: Load,
        from offset: Int64,
        then send: @escaping @LoopActor ((any HTTPBodySource)?) -> Void
    ) { send(nil) }

    /// Continues without an answer.
    package func load(
        _ load: Load,
        decideOn challenge: LoadChallenge,
        then answer: @escaping @LoopActor (LoadChallengeAnswer) -> Void
    ) { answer(.performDefaultHandling) }

    package func load(_ load: Load, didSendBodyBytes byteCount: Int64) {}

    package func load(_ load: Load, resumesBodyAt offset: Int64) {}

    package func load(_ load: Load, didReceiveInformational head: HTTPResponseHead) {}

    package func load(
        _ load: Load,
        didReceiveAny head: HTTPResponseHead,
        to request: TransferRequest
    ) {}

    /// None are known.
    package var conditions: Conditions { [] }

    package func load(_ load: Load, didCollect transaction: LoadTransaction) {}
}

/// A decider that passes what it does not decide itself to the app's decider.
@LoopActor package protocol ForwardingDecider: LoadDecider {
    /// The app's decider; `nil` if there is none.
    var decider: (any LoadDecider)? { get }
}

extension ForwardingDecider {
    package func load(
        _ load: Load,
        prepare request: TransferRequest,
        then send: @escaping @LoopActor ([HTTPField]) -> Void
    ) {
        guard let decider else { return send([]) }
        decider.load(load, prepare: request, then: send)
    }

    package var conditions: Conditions { decider?.conditions ?? [] }

    package func load(_ load: Load, hasApproved trust: HTTPServerTrust) -> Bool {
        decider?.load(load, hasApproved: trust) ?? false
    }

    package func load(_ load: Load, identityFor request: TransferRequest) -> HTTPIdentity? {
        decider?.load(load, identityFor: request)
    }
}
