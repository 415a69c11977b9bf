package import FerryHTTP
package import FerrySystem

/// Finds the request that opens a WebSocket connection: through redirects, passwords and trust.
///
/// It decides about the refusals of a ``WebSocketConnection`` as a ``Load`` does. Redirects are followed
/// without asking.
@LoopActor
package final class WebSocketOpening {
    /// What an opening needs from its owner.
    package struct Environment {
        /// Decides about a challenge, at once or later.
        package var decide:
            @LoopActor (LoadChallenge, @escaping @LoopActor (LoadChallengeAnswer) -> Void) -> Void
        /// Returns whether the certificates that a server shows were approved before.
        package var hasApproved: @LoopActor (HTTPServerTrust) -> Bool
        /// Returns the identity that was used before at a request's destination.
        package var identity: @LoopActor (TransferRequest) -> HTTPIdentity?
        /// Opens a connection by a request, given without credentials and as it is sent.
        package var open: @LoopActor (TransferRequest, WebSocketRequest) -> Void
        /// Called when there is no other request, with the error, if it is not the refusal itself.
        package var giveUp: @LoopActor (TransferError?) -> Void

        /// Makes an environment from its parts.
        package init(
            decide:
                @escaping @LoopActor (
                    LoadChallenge, @escaping @LoopActor (LoadChallengeAnswer) -> Void
                ) -> Void,
            hasApproved: @escaping @LoopActor (HTTPServerTrust) -> Bool,
            identity: @escaping @LoopActor (TransferRequest) -> HTTPIdentity?,
            open: @escaping @LoopActor (TransferRequest, WebSocketRequest) -> Void,
            giveUp: @escaping @LoopActor (TransferError?) -> Void
        ) {
            self.decide = decide
            self.hasApproved = hasApproved
            self.identity = identity
            self.open = open
            self.giveUp = giveUp
        }
    }

    private var machine: Load.StateMachine
    private let protocols: [String]
    private let asksForTrust: Bool
    private let acceptsInvalidCertificates: Bool
    private let environment: Environment

    /// Prepares an opening; nothing happens before ``start()``.
    ///
    /// - Parameters:
    ///   - request: The handshake, with an HTTP scheme.
    ///   - protocols: The subprotocols to choose from.
    ///   - asksForTrust: Whether the owner decides about servers.
    ///   - acceptsInvalidCertificates: Whether any certificate of a server is accepted.
    ///   - environment: What it needs from its owner.
    package init(
        _ request: TransferRequest,
        protocols: [String],
        asksForTrust: Bool,
        acceptsInvalidCertificates: Bool = false,
        environment: Environment
    ) {
        machine = Load.StateMachine(request: request, hasBody: false, alwaysTunnels: true)
        self.protocols = protocols
        self.asksForTrust = asksForTrust
        self.acceptsInvalidCertificates = acceptsInvalidCertificates
        self.environment = environment
    }

    /// Opens the first connection.
    package func start() { run { $0.start() } }

    /// Cancels the opening.
    package func cancel() { run { $0.cancel() } }

    /// A connection was refused.
    package func refused(_ refusal: WebSocketConnection.Refusal) {
        switch refusal {
        case .answer(let head): run { $0.receivedHead(head.withHTTPLocations) }
        case .undecided(let error): run { $0.exchangeFinished(error) }
        }
    }

    /// Decides on a server during its handshake.
    package func decide(on trust: HTTPServerTrust) -> HTTPTrustDecision {
        environment.hasApproved(trust) ? .accept : machine.decide(on: trust)
    }

    /// Decides on a server's request for a certificate during its handshake.
    package func decide(on certificateRequest: CertificateRequest) -> HTTPIdentityDecision {
        machine.decide(on: certificateRequest)
    }

    /// Takes an input, and performs what follows.
    private func run(_ input: (inout Load.StateMachine) -> Void) {
        input(&machine)
        guard machine.effects.begin() else { return }
        while let effect = machine.effects.next() { perform(effect) }
    }

    private func perform(_ effect: Load.StateMachine.Effect) {
        switch effect {
        case .prepare: run { $0.prepared() }
        case .send(let next): send(next)
        case .ask(let challenge):
            environment.decide(challenge) { [self] answer in
                run { $0.challengeAnswered(answer) }
            }
        case .askRedirect(_, let next): run { $0.redirectAnswered(next) }
        // A refused connection is closed, together with the rest of its response.
        case .skipBody: run { $0.exchangeFinished(nil) }
        case .needBody, .cancelExchange, .pause, .takeBody, .release: break
        case .reportResponse: environment.giveUp(nil)
        case .finish(let error): environment.giveUp(error)
        }
    }

    private func send(_ next: Load.StateMachine.Request) {
        do throws(HTTPError) {
            var fields = next.transfer.fields
            try machine.prove(in: &fields, clientNonce: Load.makeClientNonce())
            var request = WebSocketRequest(
                url: next.transfer.url,
                fields: fields,
                protocols: protocols
            )
            request.asksForTrust = asksForTrust
            request.acceptsInvalidCertificates = acceptsInvalidCertificates
            request.identity =
                next.isIdentityDecided ? next.identity : environment.identity(next.transfer)
            request.asksForIdentity = asksForTrust && !next.isIdentityDecided
            environment.open(next.transfer, request)
        } catch {
            run { $0.exchangeFinished(error) }
        }
    }
}

extension HTTPResponseHead {
    /// The head with HTTP schemes in its locations, for the decision about redirects.
    fileprivate var withHTTPLocations: HTTPResponseHead {
        var head = self
        for index in head.fields.indices where head.fields[index].isNamed("Location") {
            let location = head.fields[index].value
            head.fields[index].value = WebSocketRequest(url: location).httpURL
        }
        return head
    }
}
