import COpenSSL
import FerrySystem

/// The reference from a TLS context to the party that its connections are made for.
///
/// The reference is weak because a kept connection's TLS context outlives an exchange.
// @unchecked because the weak reference changes by itself; everything is read and changed on the loop alone.
final class HandshakeContext: @unchecked Sendable {
    private(set) weak var party: (any HandshakeParty)?
    /// Whether the server has said that nothing more comes (close_notify, RFC 8446 §6.1).
    var hasAnnouncedEnd = false

    private init(_ party: any HandshakeParty) { self.party = party }

    /// Keeps a party in a TLS context, which owns the reference.
    ///
    /// - Parameters:
    ///   - party: The party that decides on the connections of the context.
    ///   - tlsContext: OpenSSL's `SSL_CTX`.
    /// - Returns: The reference; `nil` when memory has run out.
    static func keep(
        _ party: any HandshakeParty,
        in tlsContext: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer? {
        let context = Unmanaged.passRetained(HandshakeContext(party)).toOpaque()
        guard COpenSSL_keep(tlsContext, place, context) == 1 else {
            Unmanaged<HandshakeContext>.fromOpaque(context).release()
            return nil
        }
        return context
    }

    /// Returns the party that is kept in the TLS context of a connection, if it still exists.
    ///
    /// - Parameter tls: OpenSSL's `SSL`.
    /// - Returns: The party.
    static func party(of tls: OpaquePointer) -> (any HandshakeParty)? { kept(for: tls)?.party }

    /// Returns the reference that is kept in the TLS context of a connection.
    ///
    /// - Parameter tls: OpenSSL's `SSL`.
    /// - Returns: The reference.
    static func kept(for tls: OpaquePointer) -> HandshakeContext? {
        COpenSSL_kept(tls, place).map {
            Unmanaged<HandshakeContext>.fromOpaque($0).takeUnretainedValue()
        }
    }

    private static let place = COpenSSL_make_place { _, kept, _, _, _, _ in
        if let kept { Unmanaged<HandshakeContext>.fromOpaque(kept).release() }
    }
}

/// The object that decides in TLS handshakes: an exchange, or a connection that is for no exchange.
@LoopActor protocol HandshakeParty: AnyObject {
    /// The request that the handshake is for, with what it may ask.
    var request: HTTPRequest { get }
    /// The reason why libcurl is told to end the connection.
    var cause: HTTPError? { get set }
    /// Whether a server that requested a certificate was told that the client has none.
    var hasGoneOnWithoutIdentity: Bool { get set }

    /// Whether the server has ended the handshake because it speaks none of the protocols that were offered.
    var isProtocolRefused: Bool { get set }

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
