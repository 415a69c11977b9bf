package import FerryHTTP
package import FerrySystem

/// A decider that stands before an app's, and asks it what it does not decide itself.
@LoopActor package protocol ForwardingDecider: LoadDecider {
    /// The app's; `nil` where nobody can be asked.
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

    package func load(_ load: Load, hasApproved trust: HTTPServerTrust) -> Bool {
        decider?.load(load, hasApproved: trust) ?? false
    }

    package func load(_ load: Load, identityFor request: TransferRequest) -> HTTPIdentity? {
        decider?.load(load, identityFor: request)
    }
}
