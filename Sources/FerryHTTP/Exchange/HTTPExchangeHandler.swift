package import FerrySystem

/// The receiver of one exchange's events, in this order: sent…, informational…, head, bytes…, finish.
///
/// What is sent is also reported later, where a server answers before it has read the request.
///
/// A method may do anything to any exchange of the client, also cancel, pause or resume the one
/// that it is called for, start others, and invalidate the client.
@LoopActor package protocol HTTPExchangeHandler: AnyObject {
    /// Called from inside of a TLS handshake, if the request wants that, for each connection that is
    /// made for it.
    func exchange(
        _ exchange: HTTPExchange,
        decideOn trust: HTTPServerTrust
    ) -> HTTPTrustDecision

    /// Called from inside of a TLS handshake, if the request wants that and has no identity, when a
    /// server wants to know by a certificate who its client is.
    func exchange(
        _ exchange: HTTPExchange,
        decideOn certificateRequest: CertificateRequest
    ) -> HTTPIdentityDecision

    /// Called when more of the request's body has been taken off its source, towards the
    /// connection.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - byteCount: How many bytes in all; fewer than before when some must be sent again.
    func exchange(_ exchange: HTTPExchange, didSendBodyBytes byteCount: Int64)

    /// Called for each interim response (1xx), but 101, before the final one (RFC 9110 §15.2).
    func exchange(_ exchange: HTTPExchange, didReceiveInformational head: HTTPResponseHead)

    /// Called once, when a final response's header is complete.
    func exchange(
        _ exchange: HTTPExchange,
        didReceive head: HTTPResponseHead
    ) -> HTTPBodyDisposition

    /// Called for each part of the body; the bytes are valid only inside the call.
    func exchange(
        _ exchange: HTTPExchange,
        didReceive bytes: UnsafeRawBufferPointer
    ) -> HTTPBodyDisposition

    /// Called for each part of the body that comes in a pipe, once the handler has answered
    /// ``HTTPBodyDisposition/deliverInPipes``; never otherwise.
    ///
    /// The handler empties the pipe before it returns; the exchange fails with
    /// ``HTTPError/Code/writeFailed`` if it does not, and was not cancelled.
    func exchange(
        _ exchange: HTTPExchange,
        didReceive pipe: SplicePipe
    ) -> HTTPBodyDisposition

    /// Called exactly once, as the last call, unless the exchange was cancelled: then never.
    func exchange(_ exchange: HTTPExchange, didFinishWith error: HTTPError?)
}

extension HTTPExchangeHandler {
    /// Goes by the verdict.
    package func exchange(
        _ exchange: HTTPExchange,
        decideOn trust: HTTPServerTrust
    ) -> HTTPTrustDecision {
        .followVerdict
    }

    /// Goes on without a certificate.
    package func exchange(
        _ exchange: HTTPExchange,
        decideOn certificateRequest: CertificateRequest
    ) -> HTTPIdentityDecision {
        .goOnWithout
    }

    /// Does nothing.
    package func exchange(_ exchange: HTTPExchange, didSendBodyBytes byteCount: Int64) {}

    /// Does nothing.
    package func exchange(
        _ exchange: HTTPExchange,
        didReceiveInformational head: HTTPResponseHead
    ) {}
}

/// What a handler wants done with the rest of a response.
package enum HTTPBodyDisposition: Hashable, Sendable {
    /// Hand over the body.
    case deliver
    /// Hand over the body, the rest of it in pipes where that is cheaper.
    ///
    /// From then on an answer of ``deliver`` means the same.
    case deliverInPipes
    /// Read the body, without handing it over, so that the connection can be used again.
    ///
    /// `didFinishWith` follows as usual.
    case discard
    /// End the exchange here; `didFinishWith` follows with ``HTTPError/Code/aborted``.
    case cancel
}
