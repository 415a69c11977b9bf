extension Wire {
    /// How an identity is written down.
    package enum IdentityFormat: String, Codable, CaseIterable, Sendable {
        /// PEM: the certificate, those that stand for it, the key.
        case pem
        /// PKCS #12 (RFC 7292).
        case pkcs12
    }
}
