/// A server's certificates, and the result of verifying them.
package struct HTTPServerTrust: Hashable, Sendable {
    /// The result of verifying the certificates.
    package enum Verdict: Hashable, Sendable {
        /// A trusted authority vouches for them, and for this host.
        case trusted
        /// They have expired, or are not valid yet; the text says which.
        case badDate(String)
        /// No trusted authority vouches for them; the text says why.
        case untrusted(String)
        /// They are valid, but for another host.
        case forAnotherHost
    }

    /// The requested host.
    package var host: String
    /// The certificates in binary form (DER), the server's own first, then their issuers up to an authority:
    /// as verified, or as sent if that failed.
    package var certificates: [[UInt8]]
    /// The result of verifying them.
    package var verdict: Verdict

    /// Makes a trust from its parts.
    package init(host: String, certificates: [[UInt8]], verdict: Verdict) {
        self.host = host
        self.certificates = certificates
        self.verdict = verdict
    }
}

extension HTTPServerTrust.Verdict {
    /// The error of a request that follows the verdict; `nil` for a good one.
    package var error: HTTPError? {
        switch self {
        case .trusted:
            nil
        case .badDate(let reason):
            HTTPError(
                code: .serverCertificateHasBadDate,
                message: "The server's certificate is not valid today: \(reason)"
            )
        case .untrusted(let reason):
            HTTPError(
                code: .serverCertificateUntrusted,
                message: "No trusted authority vouches for the server's certificate: \(reason)"
            )
        case .forAnotherHost:
            HTTPError(
                code: .serverCertificateUntrusted,
                message: "The server's certificate is for another host"
            )
        }
    }
}

/// The decision about a connection, once the server's certificates are known.
package enum HTTPTrustDecision: Hashable, Sendable {
    /// Follow the verdict.
    case followVerdict
    /// Trust the server, whatever the verdict.
    case accept
    /// End the exchange with ``HTTPError/Code/serverTrustUndecided``: the decision takes longer than a
    /// handshake may wait.
    case ask
}
