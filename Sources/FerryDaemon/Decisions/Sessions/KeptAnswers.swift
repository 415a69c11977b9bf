import FerryHTTP
import FerryTransfer

/// An application's answers to challenges of a session that also apply to its other tasks.
///
/// They are in memory only: secrets are never stored, and the next daemon asks an application again.
struct KeptAnswers: Hashable, Sendable {
    /// The protection space of a name and password.
    private struct Space: Hashable, Sendable {
        var origin: Origin
        var scheme: String
        var realm: String?
        var isProxy: Bool
    }

    private var passwords: [Space: PasswordCredential] = [:]
    private var identities: [Origin: HTTPIdentity] = [:]
    private var originsWithoutIdentity: Set<Origin> = []
    private var approvedServers = ApprovedServers()

    /// Keeps an answer, as far as there is something to keep.
    mutating func keep(_ answer: LoadChallengeAnswer, to challenge: LoadChallenge) {
        switch (challenge.kind, answer) {
        case (.password(let way, let isProxy), .use(let credential)):
            passwords[Self.space(way, isProxy, challenge)] = credential
        case (.serverTrust(let trust), .trust):
            approvedServers.approve(trust)
        case (.serverTrust(let trust), .performDefaultHandling) where trust.verdict == .trusted:
            approvedServers.approve(trust)
        case (.clientCertificate, .identify(let identity)):
            identities[challenge.origin] = identity
        case (.clientCertificate, .performDefaultHandling), (.clientCertificate, .reject):
            originsWithoutIdentity.insert(challenge.origin)
        default:
            break
        }
    }

    /// Forgets the client's identities, after a server has refused one.
    mutating func forgetIdentities() {
        identities = [:]
        originsWithoutIdentity = []
    }

    /// Returns the answer to a challenge, if it is known.
    func answer(to challenge: LoadChallenge) -> LoadChallengeAnswer? {
        switch challenge.kind {
        case .password(let way, let isProxy):
            // A password that was refused is not tried again.
            guard challenge.previousFailureCount == 0 else { return nil }
            return passwords[Self.space(way, isProxy, challenge)].map { .use($0) }
        case .serverTrust(let trust):
            return approvedServers.contains(trust) ? .trust : nil
        case .clientCertificate:
            if let identity = identities[challenge.origin] { return .identify(identity) }
            return originsWithoutIdentity.contains(challenge.origin) ? .performDefaultHandling : nil
        }
    }

    /// Whether a server's certificates were approved before.
    func hasApproved(_ trust: HTTPServerTrust) -> Bool { approvedServers.contains(trust) }

    /// Returns the identity for the origin of a request.
    func identity(for request: TransferRequest) -> HTTPIdentity? {
        guard !identities.isEmpty, let origin = Origin(url: request.url) else { return nil }
        return identities[origin]
    }

    private static func space(
        _ way: AuthenticationChallenge,
        _ isProxy: Bool,
        _ challenge: LoadChallenge
    ) -> Space {
        Space(origin: challenge.origin, scheme: way.scheme, realm: way.realm, isProxy: isProxy)
    }
}
