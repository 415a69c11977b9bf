package import FerryHTTP

/// What a server or proxy wants to know before it answers.
package struct LoadChallenge: Hashable, Sendable {
    /// What is asked for.
    package enum Kind: Hashable, Sendable {
        /// A name and a password, by one of the ways that the other side offers.
        case password(AuthenticationChallenge, isProxy: Bool)
        /// Whether the server is the one that is meant.
        case serverTrust(HTTPServerTrust)
        /// Who the client is, by a certificate.
        case clientCertificate(CertificateRequest)
    }

    /// What is asked for.
    package var kind: Kind
    /// Who asks: the origin of the request.
    package var origin: Origin
    /// How many answers to the same question were refused in this load.
    package var previousFailureCount: Int
    /// The response that asks; `nil` where there is no response yet.
    package var response: HTTPResponseHead?

    /// Makes a challenge of its parts.
    package init(
        kind: Kind,
        origin: Origin,
        previousFailureCount: Int = 0,
        response: HTTPResponseHead? = nil
    ) {
        self.kind = kind
        self.origin = origin
        self.previousFailureCount = previousFailureCount
        self.response = response
    }
}

/// What is to be done about a challenge.
package enum LoadChallengeAnswer: Hashable, Sendable {
    /// Use this name and password.
    case use(PasswordCredential)
    /// Trust the server.
    case trust
    /// Prove by this who the client is.
    case identify(HTTPIdentity)
    /// Go on without an answer: a response that asks for a password is the answer to the request, and a
    /// server is trusted if its certificates are good.
    case performDefaultHandling
    /// Try the next way that the other side offers.
    case reject
    /// Fail the load with ``TransferError/Code/cancelled``.
    case cancel
}
