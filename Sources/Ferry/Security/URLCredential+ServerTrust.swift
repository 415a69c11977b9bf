public import FoundationNetworking

extension URLCredential {
    /// The answer to a challenge about a server, that it is trusted.
    ///
    /// - Parameter trust: What the challenge has shown. It is good for that challenge only.
    public convenience init(trust: SecTrust) {
        self.init(user: "", password: "", persistence: .none)
    }

    /// The answer to a challenge for a certificate.
    ///
    /// - Parameters:
    ///   - identity: The certificate and its key.
    ///   - certArray: Ignored on Linux: those that stand for the certificate are in the identity.
    ///   - persistence: Ignored on Linux: the session uses the identity for that host until it ends.
    public convenience init(
        identity: SecIdentity,
        certificates certArray: [Any]?,
        persistence: URLCredential.Persistence
    ) {
        self.init(user: identity.name, password: "", persistence: .none)
    }

    /// The identity that the credential was made of; nil for one of a name and a password.
    public var identity: SecIdentity? {
        user.flatMap { SecIdentity.named($0) }
    }
}
