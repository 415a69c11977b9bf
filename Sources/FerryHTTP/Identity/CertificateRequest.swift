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
