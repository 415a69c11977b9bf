import FerrySystem

extension WebSocketConnection {
    /// How a connection behaves; fixed for its life.
    package struct Configuration: Hashable, Sendable {
        /// The longest time in which nothing may happen until the connection is open; zero for no
        /// limit, 60 seconds by default.
        package var openingTimeout = Duration.seconds(60)
        /// The longest time in which nothing may come or go on an open connection; zero, the
        /// default, for no limit.
        package var idleTimeout = Duration.zero
        /// How long the other end's close frame is waited for, 10 seconds by default.
        package var closingTimeout = Duration.seconds(10)
        /// The length that a message may have that arrives, 1 MiB by default.
        package var maximumMessageByteCount = 1 << 20
        /// How much may have arrived that nobody has asked for, 64 KiB by default, before no more is
        /// read; one message may go beyond that.
        package var maximumInboxByteCount = 64 << 10

        /// Makes the default configuration.
        package init() {}
    }

    /// Why the owner is asked by what other request the connection is to be opened.
    package enum Refusal: Hashable, Sendable {
        /// The server, or a proxy, has answered otherwise.
        case answer(HTTPResponseHead)
        /// There was a question in the handshake of TLS.
        case undecided(HTTPError)
    }

    /// How a connection has ended.
    package enum End: Hashable, Sendable {
        /// Both ends have said goodbye; with the other end's code and reason.
        case closed(code: UInt16?, reason: [UInt8])
        /// Something went wrong.
        case failed(WebSocketError)
    }

    /// What a connection tells its owner, in this order: refusals, opening, end.
    package struct Events: Sendable {
        /// The connection is open; with the server's answer and the subprotocol it has chosen.
        package var opened: @LoopActor (HTTPResponseHead, String?) -> Void
        /// The connection was not opened; the owner says by ``WebSocketConnection/goOn(with:)``, at
        /// once or later, which request to send instead, if any.
        package var refused: @LoopActor (Refusal) -> Void
        /// Decides on a server's certificates, where the request asks.
        package var decideOnTrust: @LoopActor (HTTPServerTrust) -> HTTPTrustDecision
        /// Decides on a server's request for a certificate, where the request asks.
        package var decideOnIdentity: @LoopActor (CertificateRequest) -> HTTPIdentityDecision
        /// The connection has ended, and everybody who waited for something was told; not called
        /// after ``WebSocketConnection/cancel()``.
        package var ended: @LoopActor (End) -> Void

        /// Makes the events' receivers.
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
