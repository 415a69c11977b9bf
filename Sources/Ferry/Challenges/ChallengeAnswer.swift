import FerryTransfer
import FoundationNetworking

/// The answer of an app to a challenge.
struct ChallengeAnswer: Sendable {
    var disposition: URLSession.AuthChallengeDisposition
    var credential: URLCredential?
}

extension URLCredential {
    /// Whether it applies to other tasks, too.
    var isKept: Bool { persistence != .none }
}

extension LoadChallengeAnswer {
    /// Creates the answer to a challenge from the app's decision.
    ///
    /// - Parameters:
    ///   - answer: The app's answer.
    ///   - challenge: The challenge.
    init(_ answer: ChallengeAnswer, to challenge: LoadChallenge) {
        switch answer.disposition {
        case .cancelAuthenticationChallenge: self = .cancel
        case .rejectProtectionSpace: self = .reject
        case .performDefaultHandling: self = .performDefaultHandling
        case .useCredential:
            switch (challenge.kind, answer.credential) {
            case (_, nil): self = .performDefaultHandling
            case (.serverTrust, _): self = .trust
            case (.clientCertificate, let credential?):
                self = credential.identity.map { .identify($0.identity) } ?? .performDefaultHandling
            case (.password, let credential?):
                self = PasswordCredential(credential).map { .use($0) } ?? .performDefaultHandling
            }
        }
    }
}

extension PasswordCredential {
    /// The name and password of a credential that has both.
    init?(_ credential: URLCredential) {
        guard let user = credential.user, let password = credential.password else { return nil }
        self.init(user: user, password: password)
    }
}
