extension Wire {
    /// What a server or a proxy wants to know before it answers: one of password, trust and certificate.
    package struct Challenge: Codable, Hashable, Sendable {
        /// The origin of the request, such as https://example.org:443.
        package var origin: String
        /// How many answers to the same question were refused in this attempt.
        package var previousFailureCount: Int
        /// The answer that asks; a handshake has none.
        package var response: Response?
        /// A name and a password.
        package var password: PasswordChallenge?
        /// Whether the server is the one that is meant.
        package var trust: ServerTrust?
        /// Who the client is.
        package var certificate: CertificateWish?

        /// Creates one of its parts.
        package init(
            origin: String,
            previousFailureCount: Int,
            response: Response? = nil,
            password: PasswordChallenge? = nil,
            trust: ServerTrust? = nil,
            certificate: CertificateWish? = nil
        ) {
            self.origin = origin
            self.previousFailureCount = previousFailureCount
            self.response = response
            self.password = password
            self.trust = trust
            self.certificate = certificate
        }
    }
}
