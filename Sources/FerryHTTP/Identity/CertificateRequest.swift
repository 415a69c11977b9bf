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
