import FerrySystem

/// The object that decides in TLS handshakes: an exchange, or a connection that is for no exchange.
@LoopActor protocol HandshakeParty: AnyObject {
    /// The request that the handshake is for, with what it may ask.
    var request: HTTPRequest { get }
    /// The reason why libcurl is told to end the connection.
    var cause: HTTPError? { get set }
    /// Whether a server that requested a certificate was told that the client has none.
    var hasGoneOnWithoutIdentity: Bool { get set }

    /// Decides on a server.
    func decide(on trust: HTTPServerTrust) -> HTTPTrustDecision
    /// Decides on a server's request for a certificate; `nil` if there is no longer a handler.
    func decide(on certificateRequest: CertificateRequest) -> HTTPIdentityDecision?
}

extension HandshakeParty {
    /// The host that the request is for, without the brackets of an IPv6 address.
    var host: String { CurlURL.host(of: request.url) ?? "" }

    /// Decides on a server, inside its handshake.
    func trusts(_ trust: HTTPServerTrust) -> Bool {
        switch decide(on: trust) {
        case .followVerdict:
            cause = trust.verdict.error
        case .accept:
            cause = nil
        case .ask:
            let message = "Nobody has decided yet whether to trust \(trust.host)"
            cause = HTTPError(code: .serverTrustUndecided, message: message)
        }
        return cause == nil
    }

    /// Decides on a server's request for a certificate, inside its handshake.
    func goesOnWithoutIdentity(_ certificateRequest: CertificateRequest) -> Bool {
        // libcurl still reads from a connection that it gives up, and so continues the handshake.
        guard cause == nil, let decision = decide(on: certificateRequest) else { return false }
        switch decision {
        case .goOnWithout:
            hasGoneOnWithoutIdentity = true
            return true
        case .ask:
            let message = "Nobody has decided yet who \(certificateRequest.host) is to talk to"
            cause = HTTPError(code: .clientCertificateUndecided, message: message)
            return false
        }
    }

    /// Records that the server ends the connection because of the client's certificate, or because there is
    /// none.
    func serverRejectedIdentity(_ reason: String) {
        let message = "The server does not accept the client's certificate: \(reason)"
        cause = HTTPError(code: .clientCertificateRejected, message: message)
    }
}
