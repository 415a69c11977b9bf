import FerryTransfer
import FoundationNetworking

/// What an app has answered to a challenge.
struct ChallengeAnswer: Sendable {
    var disposition: URLSession.AuthChallengeDisposition
    var credential: URLCredential?
}

extension URLCredential {
    /// Whether it is good for other tasks, too.
    var isKept: Bool { persistence != .none }
}

extension LoadChallengeAnswer {
    /// What is to be done, where the app has decided.
    ///
    /// - Parameters:
    ///   - answer: What it has answered; not to do as if it had not been asked.
    ///   - challenge: What it was asked.
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
