package import FoundationEssentials

extension Wire {
    /// A server's wish to know by a certificate who its client is.
    package struct CertificateWish: Codable, Hashable, Sendable {
        /// The host that was asked for.
        package var host: String
        /// The names of the authorities (DER) that the server trusts in this; none if it does not say.
        package var issuers: [Data]

        /// Creates one of its parts.
        package init(
            host: String,
            issuers: [Data]
        ) {
            self.host = host
            self.issuers = issuers
        }
    }
}
