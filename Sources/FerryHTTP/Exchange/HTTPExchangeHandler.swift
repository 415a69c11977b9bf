package import FerrySystem

/// The receiver of one exchange's events, in this order: sent…, informational…, head, bytes…, finish.
///
/// Sent bytes are also reported later, if a server answers before it has read the request.
///
/// A method may cancel, pause or resume any exchange of the client, including the one that it is called for,
/// start others, and invalidate the client.
@LoopActor package protocol HTTPExchangeHandler: AnyObject {
    /// Called inside a TLS handshake, if the request asks for that, for each connection that is made for it.
    func exchange(
        _ exchange: HTTPExchange,
        decideOn trust: HTTPServerTrust
    ) -> HTTPTrustDecision

    /// Called inside a TLS handshake, if the request asks for that and has no identity, when a server
    /// requests a client certificate.
    func exchange(
        _ exchange: HTTPExchange,
        decideOn certificateRequest: CertificateRequest
    ) -> HTTPIdentityDecision

    /// Called when more of the request's body has been read from its source for the connection.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - byteCount: The total number of bytes; lower than before if some must be sent again.
    func exchange(_ exchange: HTTPExchange, didSendBodyBytes byteCount: Int64)

    /// Called for each interim response (1xx) except 101, before the final one (RFC 9110 §15.2).
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

    /// Called for each part of the body that arrives in a pipe, once the handler has answered
    /// ``HTTPBodyDisposition/deliverInPipes``; never otherwise.
    ///
    /// The handler must empty the pipe before it returns; otherwise the exchange, unless it was cancelled,
    /// fails with ``HTTPError/Code/writeFailed``.
    func exchange(
        _ exchange: HTTPExchange,
        didReceive pipe: SplicePipe
    ) -> HTTPBodyDisposition

    /// Called exactly once, as the last call, unless the exchange was cancelled: then never.
    func exchange(_ exchange: HTTPExchange, didFinishWith error: HTTPError?)
}

extension HTTPExchangeHandler {
    /// Follows the verdict.
    package func exchange(
        _ exchange: HTTPExchange,
        decideOn trust: HTTPServerTrust
    ) -> HTTPTrustDecision {
        .followVerdict
    }

    /// Continues without a certificate.
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

/// A handler's decision about the rest of a response.
package enum HTTPBodyDisposition: Hashable, Sendable {
    /// Deliver the body.
    case deliver
    /// Deliver the body, the rest of it in pipes where that is cheaper.
    ///
    /// A later answer of ``deliver`` means the same.
    case deliverInPipes
    /// Read the body without delivering it, so that the connection can be used again.
    ///
    /// `didFinishWith` follows as usual.
    case discard
    /// End the exchange here; `didFinishWith` follows with ``HTTPError/Code/aborted``.
    case cancel
}
