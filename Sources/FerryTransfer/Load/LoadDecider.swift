package import FerryHTTP
package import FerrySystem

/// Who decides for the app what becomes of a load, and hears of what the answer's receiver does not.
///
/// Continuations are called once, from inside of the call or later; calls after the load's end do nothing.
@LoopActor package protocol LoadDecider: AnyObject {
    /// Completes a request, the first one and those that follow it: cookies, the cache's conditions.
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

    /// Says whether certificates were approved before that a connection's server shows.
    func load(_ load: Load, hasApproved trust: HTTPServerTrust) -> Bool

    /// The identity that was used before where a request goes; `nil` for none.
    func load(_ load: Load, identityFor request: TransferRequest) -> HTTPIdentity?

    /// Finds the request's body, at its start or where an upload goes on.
    ///
    /// - Parameters:
    ///   - load: The load.
    ///   - offset: Where the body begins that is sent.
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
    ///   - request: Where it leads.
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

    /// Called when more of the request's body has left: how much of it in all.
    func load(_ load: Load, didSendBodyBytes byteCount: Int64)

    /// Called when an upload goes on with the body from there, of which more may have left before.
    func load(_ load: Load, resumesBodyAt offset: Int64)

    /// Called for each interim response (1xx).
    func load(_ load: Load, didReceiveInformational head: HTTPResponseHead)

    /// Called for each response, also for one that is not the answer, before anything is decided about it.
    func load(_ load: Load, didReceiveAny head: HTTPResponseHead, to request: TransferRequest)

    /// Called when an exchange has ended, the last one included: before the receiver hears of the end.
    func load(_ load: Load, didCollect transaction: LoadTransaction)
}

/// For those who have nothing to say, or need not hear.
extension LoadDecider {
    /// There is none.
    package func loadNeedsBody(
        _ load: Load,
        from offset: Int64,
        then send: @escaping @LoopActor ((any HTTPBodySource)?) -> Void
    ) { send(nil) }

    /// Goes on as if nobody could be asked.
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

    package func load(_ load: Load, didCollect transaction: LoadTransaction) {}
}
