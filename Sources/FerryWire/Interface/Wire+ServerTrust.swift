package import FoundationEssentials

extension Wire {
    /// Who a server says it is.
    package struct ServerTrust: Codable, Hashable, Sendable {
        /// The host that was asked for.
        package var host: String
        /// The certificates (DER), the server's own first.
        package var certificates: [Data]
        /// What verifying them has found.
        package var verdict: CertificateVerdict
        /// The verdict's reason, for people: with badDate and untrusted.
        package var reason: String?

        /// Creates one of its parts.
        package init(
            host: String,
            certificates: [Data],
            verdict: CertificateVerdict,
            reason: String? = nil
        ) {
            self.host = host
            self.certificates = certificates
            self.verdict = verdict
            self.reason = reason
        }
    }
}
