/// Who a server says it is, and what is to be thought of that.
package struct HTTPServerTrust: Hashable, Sendable {
    /// What verifying the certificates has found.
    package enum Verdict: Hashable, Sendable {
        /// A trusted authority stands for them, and for this host.
        case trusted
        /// They have expired, or are not valid yet; the text says which.
        case badDate(String)
        /// Nobody who is trusted stands for them; the text says why.
        case untrusted(String)
        /// They are good, and another host's.
        case forAnotherHost
    }

    /// The host that was asked for.
    package var host: String
    /// The certificates in their binary form (DER), the server's own first, then those that stand for
    /// each other up to an authority: as verified, or as sent where that failed.
    package var certificates: [[UInt8]]
    /// What verifying them has found.
    package var verdict: Verdict

    /// Makes a trust of its parts.
    package init(host: String, certificates: [[UInt8]], verdict: Verdict) {
        self.host = host
        self.certificates = certificates
        self.verdict = verdict
    }
}

extension HTTPServerTrust.Verdict {
    /// What a request fails with that goes by the verdict; `nil` for a good one.
    package var error: HTTPError? {
        switch self {
        case .trusted:
            nil
        case .badDate(let reason):
            HTTPError(code: .serverCertificateHasBadDate, message: reason)
        case .untrusted(let reason):
            HTTPError(code: .serverCertificateUntrusted, message: reason)
        case .forAnotherHost:
            HTTPError(
                code: .serverCertificateUntrusted,
                message: "The server's certificate is for another host"
            )
        }
    }
}

/// What is to become of a connection, once it is known who the server says it is.
package enum HTTPTrustDecision: Hashable, Sendable {
    /// Go by the verdict.
    case followVerdict
    /// Trust the server, whatever the verdict.
    case accept
    /// End the exchange with ``HTTPError/Code/serverTrustUndecided``: somebody else must be asked, which
    /// takes longer than a handshake may wait.
    case ask
}
