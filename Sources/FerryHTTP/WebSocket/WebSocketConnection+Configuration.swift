import FerrySystem

extension WebSocketConnection {
    /// How a connection behaves; fixed for its life.
    package struct Configuration: Hashable, Sendable {
        /// The longest time without activity until the connection is open; zero for no limit, 60 seconds by
        /// default.
        package var openingTimeout = Duration.seconds(60)
        /// The longest time without traffic on an open connection; zero, the default, for no limit.
        package var idleTimeout = Duration.zero
        /// How long to wait for the other end's close frame, 10 seconds by default.
        package var closingTimeout = Duration.seconds(10)
        /// The maximum length of an incoming message, 1 MiB by default.
        package var maximumMessageByteCount = 1 << 20
        /// How many bytes of messages may wait for the owner before reading stops, 64 KiB by default; one
        /// message may go beyond that.
        package var maximumInboxByteCount = 64 << 10

        /// Makes the default configuration.
        package init() {}
    }

    /// The reason why the owner is asked for another request to open the connection.
    package enum Refusal: Hashable, Sendable {
        /// The server, or a proxy, has sent another response.
        case answer(HTTPResponseHead)
        /// The TLS handshake needs a decision.
        case undecided(HTTPError)
    }

    /// How a connection has ended.
    package enum End: Hashable, Sendable {
        /// Both ends have closed the connection; with the other end's code and reason.
        case closed(code: UInt16?, reason: [UInt8])
        /// Something went wrong.
        case failed(WebSocketError)
    }

    /// The events that a connection reports to its owner, in this order: refusals, opening, end.
    package struct Events: Sendable {
        /// The connection is open; with the server's answer and the subprotocol it has chosen.
        package var opened: @LoopActor (HTTPResponseHead, String?) -> Void
        /// The connection was not opened; the owner calls ``WebSocketConnection/proceed(with:)``, at once or
        /// later, with the request to send instead, if any.
        package var refused: @LoopActor (Refusal) -> Void
        /// Decides on a server's certificates, where the request asks.
        package var decideOnTrust: @LoopActor (HTTPServerTrust) -> HTTPTrustDecision
        /// Decides on a server's request for a certificate, where the request asks.
        package var decideOnIdentity: @LoopActor (CertificateRequest) -> HTTPIdentityDecision
        /// The connection has ended, and all waiting calls have completed; not called after
        /// ``WebSocketConnection/cancel()``.
        package var ended: @LoopActor (End) -> Void

        /// Makes events from their handlers.
        package init(
            opened: @escaping @LoopActor (HTTPResponseHead, String?) -> Void,
            refused: @escaping @LoopActor (Refusal) -> Void,
            decideOnTrust: @escaping @LoopActor (HTTPServerTrust) -> HTTPTrustDecision = { _ in
                .followVerdict
            },
            decideOnIdentity: @escaping @LoopActor (CertificateRequest) -> HTTPIdentityDecision = {
                _ in .goOnWithout
            },
            ended: @escaping @LoopActor (End) -> Void
        ) {
            self.opened = opened
            self.refused = refused
            self.decideOnTrust = decideOnTrust
            self.decideOnIdentity = decideOnIdentity
            self.ended = ended
        }
    }
}
