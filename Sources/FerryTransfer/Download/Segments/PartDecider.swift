import FerryHTTP
import FerrySystem

/// Decides about the request for a part without asking the app, which has decided about the first request.
///
/// If a new decision is needed, the response is not used: the part is then fetched by the first connection, or
/// by a request that the app is asked about.
@LoopActor
final class PartDecider: ForwardingDecider {
    package let decider: (any LoadDecider)?
    private let followsRedirects: Bool
    private let keepsSecrets: Bool

    /// Makes a decider that stands before that of a download.
    ///
    /// - Parameters:
    ///   - decider: The download's decider.
    ///   - followsRedirects: Whether redirects are followed, as for a mirror.
    ///   - keepsSecrets: Whether nothing is added to the request, as for another origin.
    init(_ decider: (any LoadDecider)?, followsRedirects: Bool, keepsSecrets: Bool) {
        self.decider = decider
        self.followsRedirects = followsRedirects
        self.keepsSecrets = keepsSecrets
    }

    func load(
        _ load: Load,
        prepare request: TransferRequest,
        then send: @escaping @LoopActor ([HTTPField]) -> Void
    ) {
        guard let decider, !keepsSecrets else { return send([]) }
        decider.load(load, prepare: request, then: send)
    }

    func load(_ load: Load, identityFor request: TransferRequest) -> HTTPIdentity? {
        keepsSecrets ? nil : decider?.load(load, identityFor: request)
    }

    func load(
        _ load: Load,
        mayRedirectTo request: TransferRequest,
        for head: HTTPResponseHead,
        then follow: @escaping @LoopActor (TransferRequest?) -> Void
    ) { follow(followsRedirects ? request : nil) }
}
