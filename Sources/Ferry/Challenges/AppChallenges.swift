import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// Asks an app's delegates about the challenges of a task.
@LoopActor
struct AppChallenges {
    let task: URLSessionTask
    let credentials: CredentialStore

    /// The app's decision about a challenge.
    struct Decision {
        var answer: LoadChallengeAnswer
        /// Whether it applies to other tasks, too.
        var isKept = true
    }

    /// Whether a delegate may decide about certificates, the server's or the app's own.
    var mayDecideOnCertificates: Bool {
        if reader != nil { return true }
        if let delegate = task.session?.delegate,
            !DelegateForms.isDefault(.sessionChallenge, of: delegate)
        {
            return true
        }
        return task.hasHandler(.taskChallenge)
    }

    /// Returns whether a delegate or a stored credential may answer a challenge.
    func mayAnswer(_ challenge: LoadChallenge) -> Bool {
        guard case .password = challenge.kind else { return mayDecideOnCertificates }
        return task.hasHandler(.taskChallenge) || !credentials.isEmpty || reader != nil
    }

    /// The events that challenges are added to, where the configuration says so and there is no delegate.
    private var reader: UnreadEvents? {
        task.core.configuration.deliversChallenges ? task.core.unread : nil
    }

    /// Decides about a challenge.
    ///
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - answer: Called once with what the app has decided.
    func decide(
        on challenge: LoadChallenge,
        then answer: @escaping @LoopActor (Decision) -> Void
    ) {
        let space = challenge.protectionSpace(proxy: nil)
        switch challenge.kind {
        case .clientCertificate, .serverTrust:
            let given = Answer { (given: ChallengeAnswer) in
                var decision = Decision(answer: LoadChallengeAnswer(given, to: challenge))
                // A trust has no persistence.
                if case .identify = decision.answer {
                    decision.isKept = given.credential?.isKept ?? true
                }
                answer(decision)
            }
            askSession(.make(challenge, for: space, proposing: nil), then: given)
        case .password:
            let isFirst = challenge.previousFailureCount == 0
            let usable = isFirst ? storedCredential(for: space) : nil
            // The refused credential is proposed, but not used again automatically.
            let refused = isFirst ? nil : task.storage.withLock { $0.latestCredential }
            let given = Answer { (given: ChallengeAnswer) in
                answer(decide(given, challenge, space, usable))
            }
            askTask(.make(challenge, for: space, proposing: usable ?? refused), then: given)
        }
    }

    /// Returns the decision about a password challenge.
    private func decide(
        _ given: ChallengeAnswer,
        _ challenge: LoadChallenge,
        _ space: URLProtectionSpace,
        _ proposed: URLCredential?
    ) -> Decision {
        guard given.disposition != .performDefaultHandling else {
            let credential = proposed.flatMap { PasswordCredential($0) }
            task.storage.withLock { $0.latestCredential = proposed }
            return Decision(
                answer: credential.map { .use($0) } ?? .performDefaultHandling,
                isKept: proposed?.isKept ?? true
            )
        }
        if given.disposition == .useCredential, let credential = given.credential {
            task.storage.withLock { $0.latestCredential = credential }
            credentials.keep(credential, for: space)
        }
        return Decision(
            answer: LoadChallengeAnswer(given, to: challenge),
            isKept: given.credential?.isKept ?? true
        )
    }

    /// Returns the credential in the session's store, or else the one in the URL.
    private func storedCredential(for space: URLProtectionSpace) -> URLCredential? {
        if let stored = credentials.credential(for: space) { return stored }
        guard !space.isProxy(), let url = task.originalRequest?.url,
            let origin = Origin(url: url.absoluteString), origin.host == space.host,
            origin.port == space.port, origin.scheme == space.protocol,
            let user = url.user(percentEncoded: false),
            let password = url.password(percentEncoded: false)
        else { return nil }
        return URLCredential(user: user, password: password, persistence: .none)
    }

    /// DL-9: Asks the session's delegate, or the task's if the session's does not answer such challenges.
    private func askSession(
        _ challenge: URLAuthenticationChallenge,
        then answer: Answer<ChallengeAnswer>
    ) {
        guard let delegate = task.session?.delegate,
            !DelegateForms.isDefault(.sessionChallenge, of: delegate)
        else { return askTask(challenge, then: answer) }
        task.deliver(
            .call { session in
                delegate.urlSession(session, didReceive: challenge) { disposition, credential in
                    let given = ChallengeAnswer(disposition: disposition, credential: credential)
                    LoopActor.perform {
                        let isDefault =
                            disposition == .performDefaultHandling
                            && DelegateForms.isDefault(.sessionChallenge, of: delegate)
                        if isDefault { askTask(challenge, then: answer) } else { answer(given) }
                    }
                }
            }
        )
    }

    /// DL-10: Asks the task's delegate, and no other in its place.
    private func askTask(
        _ challenge: URLAuthenticationChallenge,
        then answer: Answer<ChallengeAnswer>
    ) {
        if let reader {
            let given = URLSession.Challenge(task: task, challenge: challenge) {
                let given = ChallengeAnswer(disposition: $0, credential: $1)
                LoopActor.perform { answer(given) }
            }
            return reader.append(.challenge(given))
        }
        let question: URLSessionTask.Question<any URLSessionTaskDelegate, ChallengeAnswer> = {
            [task] session, delegate, answer in
            delegate.urlSession(session, task: task, didReceive: challenge) {
                answer(ChallengeAnswer(disposition: $0, credential: $1))
            }
        }
        let nobody = ChallengeAnswer(disposition: .performDefaultHandling)
        task.ask(.taskChallenge, question, orElse: nobody) { answer($0) }
    }
}

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
