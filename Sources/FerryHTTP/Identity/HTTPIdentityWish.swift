/// A server's wish to know by a certificate who its client is.
package struct HTTPIdentityWish: Hashable, Sendable {
    /// The host that was asked for.
    package var host: String
    /// The names of the authorities that the server trusts in this, in their binary form (DER);
    /// none if it does not say.
    package var issuers: [[UInt8]]

    /// Makes a wish of its parts.
    package init(host: String, issuers: [[UInt8]]) {
        self.host = host
        self.issuers = issuers
    }
}
