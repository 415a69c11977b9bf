package import FerryHTTP

/// A challenge of a server or proxy.
package struct LoadChallenge: Hashable, Sendable {
    /// The kind of a challenge.
    package enum Kind: Hashable, Sendable {
        /// A name and a password, for one of the schemes that the other side offers.
        case password(AuthenticationChallenge, isProxy: Bool)
        /// Whether to trust the server.
        case serverTrust(HTTPServerTrust)
        /// The client's certificate.
        case clientCertificate(CertificateRequest)
    }

    /// The kind of the challenge.
    package var kind: Kind
    /// The origin of the request.
    package var origin: Origin
    /// How many answers to the same challenge were refused in this load.
    package var previousFailureCount: Int
    /// The response with the challenge; `nil` if there is no response yet.
    package var response: HTTPResponseHead?

    /// Makes a challenge from its parts.
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

/// The answer to a challenge.
package enum LoadChallengeAnswer: Hashable, Sendable {
    /// Use this name and password.
    case use(PasswordCredential)
    /// Trust the server.
    case trust
    /// Use this identity of the client.
    case identify(HTTPIdentity)
    /// Continue without an answer: a response that asks for a password is final, and a server is trusted if its
    /// certificates are valid.
    case performDefaultHandling
    /// Try the next scheme that the other side offers.
    case reject
    /// Fail the load with ``TransferError/Code/cancelled``.
    case cancel
}

/// The servers that the app has said to trust.
///
/// On Apple's systems an app is asked about each connection, but connections are made more rarely: here the
/// answer applies to the same certificates of the same host for the lifetime of the session.
package struct ApprovedServers: Hashable, Sendable {
    private var certificates: [String: [[[UInt8]]]] = [:]
    /// The number of chains kept per host, which may have several machines and kinds of certificates.
    private static let limit = 16

    /// Makes an empty set.
    package init() {}

    /// Approves a server's certificates.
    package mutating func approve(_ trust: HTTPServerTrust) {
        guard !contains(trust) else { return }
        let earlier = certificates[trust.host, default: []].suffix(Self.limit - 1)
        certificates[trust.host] = earlier + [trust.certificates]
    }

    /// Whether these certificates of the server were approved.
    package func contains(_ trust: HTTPServerTrust) -> Bool {
        certificates[trust.host]?.contains(trust.certificates) ?? false
    }
}
