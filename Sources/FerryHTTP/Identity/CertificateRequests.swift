import COpenSSL
import FerrySystem

/// The handling of servers' requests for a client certificate.
@LoopActor enum CertificateRequests {
    /// Lets the party that is kept in a TLS context decide.
    ///
    /// - Parameter tlsContext: OpenSSL's `SSL_CTX`.
    static func install(in tlsContext: UnsafeMutableRawPointer) {
        COpenSSL_set_client_certificate_callback(tlsContext) { tls, _, _ in
            guard let tls else { return goOnWithout }
            nonisolated(unsafe) let connection = tls
            return LoopActor.assumeIsolated {
                CertificateRequests.goesOn(connection) ? goOnWithout : fail
            }
        }
    }

    private static func goesOn(_ tls: OpaquePointer) -> Bool {
        // The server of a kept connection may also ask long after that exchange has ended.
        guard let party = HandshakeContext.party(of: tls) else { return true }
        return party.goesOnWithoutIdentity(
            CertificateRequest(host: party.host, issuers: issuers(tls))
        )
    }

    private static func issuers(_ tls: OpaquePointer) -> [[UInt8]] {
        (0..<COpenSSL_issuer_count(tls)).compactMap { index in
            COpenSSL_issuer(tls, index).flatMap { name in
                DERBytes.encoded { i2d_X509_NAME(name, $0) }
            }
        }
    }
}

/// `SSL_CTX_set_client_cert_cb(3)`: no certificate is sent.
private let goOnWithout: Int32 = 0
/// The handshake is suspended, which libcurl treats as its end.
private let fail: Int32 = -1

/// A server's request for a certificate of its client (RFC 8446 §4.3.2).
package struct CertificateRequest: Hashable, Sendable {
    /// The requested host.
    package var host: String
    /// The names of the authorities that the server accepts, in binary form (DER); empty if it does not say.
    package var issuers: [[UInt8]]

    /// Makes a request from its parts.
    package init(host: String, issuers: [[UInt8]]) {
        self.host = host
        self.issuers = issuers
    }
}

/// The decision about a connection whose server requests a client certificate.
package enum HTTPIdentityDecision: Hashable, Sendable {
    /// Continue without a certificate; the server decides whether to accept that.
    case goOnWithout
    /// End the exchange with ``HTTPError/Code/clientCertificateUndecided``: the decision takes longer than a
    /// handshake may wait.
    ///
    /// The same request may be sent again with an ``HTTPRequest/identity``, or without
    /// ``HTTPRequest/asksForIdentity``.
    case ask
}
