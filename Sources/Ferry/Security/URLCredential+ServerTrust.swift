public import FoundationNetworking

extension URLCredential {
    /// Creates a credential that answers that a server is trusted.
    ///
    /// - Parameter trust: The trust of the challenge. The credential is valid for that challenge only.
    public convenience init(trust: SecTrust) {
        self.init(user: "", password: "", persistence: .none)
    }

    /// Creates a credential that answers a challenge for a client certificate.
    ///
    /// - Parameters:
    ///   - identity: The certificate and its key.
    ///   - certArray: Ignored on Linux: the issuers' certificates are in the identity.
    ///   - persistence: Ignored on Linux: the session uses the identity for that host until it ends.
    public convenience init(
        identity: SecIdentity,
        certificates certArray: [Any]?,
        persistence: URLCredential.Persistence
    ) {
        self.init(user: identity.name, password: "", persistence: .none)
    }

    /// The identity from which the credential was made; nil for one with a name and a password.
    public var identity: SecIdentity? {
        user.flatMap { SecIdentity.named($0) }
    }
}
