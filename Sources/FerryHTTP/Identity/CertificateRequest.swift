/// A server's request for a certificate of its client (RFC 8446 §4.3.2).
package struct CertificateRequest: Hashable, Sendable {
    /// The host that was asked for.
    package var host: String
    /// The names of the authorities that the server trusts in this, in their binary form (DER);
    /// none if it does not say.
    package var issuers: [[UInt8]]

    /// Makes a request of its parts.
    package init(host: String, issuers: [[UInt8]]) {
        self.host = host
        self.issuers = issuers
    }
}

/// What is to become of a connection whose server wants to know who its client is.
package enum HTTPIdentityDecision: Hashable, Sendable {
    /// Go on without a certificate; it is up to the server what it makes of that.
    case goOnWithout
    /// End the exchange with ``HTTPError/Code/clientCertificateUndecided``: somebody else must be asked,
    /// which takes longer than a handshake may wait.
    ///
    /// The same request may be sent again with an ``HTTPRequest/identity``, or without
    /// ``HTTPRequest/asksForIdentity``.
    case ask
}
