extension Wire {
    /// What verifying a server's certificates has found.
    package enum CertificateVerdict: String, Codable, CaseIterable, Sendable {
        /// A trusted authority stands for them, and for this host.
        case trusted
        /// They have expired, or are not valid yet.
        case badDate
        /// Nobody who is trusted stands for them.
        case untrusted
        /// They are good, and another host's.
        case forAnotherHost
    }
}
