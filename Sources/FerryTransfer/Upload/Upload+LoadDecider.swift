package import FerryHTTP
import FerrySystem

/// No app is asked about an upload in the background: redirects are followed, and a response that asks for a
/// password is the answer.
extension Upload: LoadDecider {
    package func load(
        _ load: Load,
        prepare request: TransferRequest,
        then send: @escaping @LoopActor ([HTTPField]) -> Void
    ) { send([]) }

    /// None: nobody can be asked for one.
    package func load(_ load: Load, identityFor request: TransferRequest) -> HTTPIdentity? { nil }

    package func load(_ load: Load, hasApproved trust: HTTPServerTrust) -> Bool { false }

    package func loadNeedsBody(
        _ load: Load,
        then send: @escaping @LoopActor ((any HTTPBodySource)?) -> Void
    ) { send(nil) }

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
    ) { answer(.goOn) }

    package func load(_ load: Load, didSendBodyBytes byteCount: Int64) { noteSent(byteCount) }

    package func load(_ load: Load, didReceiveInformational head: HTTPResponseHead) {}

    package func load(
        _ load: Load,
        didReceiveAny head: HTTPResponseHead,
        to request: TransferRequest
    ) {}

    package func load(_ load: Load, didCollect transaction: LoadTransaction) {}
}
