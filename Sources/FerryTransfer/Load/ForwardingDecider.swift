package import FerryHTTP
package import FerrySystem

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

    package func load(_ load: Load, hasApproved trust: HTTPServerTrust) -> Bool {
        decider?.load(load, hasApproved: trust) ?? false
    }

    package func load(_ load: Load, identityFor request: TransferRequest) -> HTTPIdentity? {
        decider?.load(load, identityFor: request)
    }
}
