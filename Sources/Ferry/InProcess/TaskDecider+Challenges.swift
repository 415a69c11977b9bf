import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking

extension TaskDecider {
    func load(_ load: Load, hasApproved trust: HTTPServerTrust) -> Bool { hasApproved(trust) }

    func load(_ load: Load, identityFor request: TransferRequest) -> HTTPIdentity? {
        identity(for: request)
    }

    func load(
        _ load: Load,
        decideOn challenge: LoadChallenge,
        then answer: @escaping @LoopActor (LoadChallengeAnswer) -> Void
    ) {
        decide(on: challenge, then: answer)
    }

    /// Whether the app has approved a server's certificates before.
    func hasApproved(_ trust: HTTPServerTrust) -> Bool { engine.approvedServers.contains(trust) }

    /// Who the app has said to be where a request goes.
    func identity(for request: TransferRequest) -> HTTPIdentity? {
        guard !engine.identities.isEmpty, let origin = Origin(url: request.url) else { return nil }
        return engine.identities[origin]
    }

    /// Asks the app about a challenge.
    func decide(
        on challenge: LoadChallenge,
        then answer: @escaping @LoopActor (LoadChallengeAnswer) -> Void
    ) {
        willAsk?()
        let space = challenge.protectionSpace(proxy: nil)
        switch challenge.kind {
        case .clientCertificate:
            let given = Answer { [self] (given: ChallengeAnswer) in
                let decided = LoadChallengeAnswer(given, to: challenge)
                if case .identify(let identity) = decided {
                    engine.identities[challenge.origin] = identity
                }
                answer(decided)
            }
            askSession(.make(challenge, for: space, proposing: nil), then: given)
        case .serverTrust(let trust):
            let given = Answer { [self] (given: ChallengeAnswer) in
                let decided = LoadChallengeAnswer(given, to: challenge)
                if decided == .trust { engine.approvedServers.approve(trust) }
                answer(decided)
            }
            askSession(.make(challenge, for: space, proposing: nil), then: given)
        case .password:
            let proposed = challenge.previousFailureCount == 0 ? storedCredential(for: space) : nil
            let given = Answer { [self] (given: ChallengeAnswer) in
                answer(decide(given, challenge, space, proposed))
            }
            askTask(.make(challenge, for: space, proposing: proposed), then: given)
        }
    }

    /// Whether anybody might want to decide about a server.
    var mayDecideOnTrust: Bool {
        guard let session = task.session, let delegate = session.delegate else {
            return hasTaskDelegate
        }
        guard DelegateForms.isDefault(.sessionChallenge, of: delegate) else { return true }
        return task.taskDelegate(in: session).map { delegate in
            !DelegateForms.isDefault(.taskChallenge, of: delegate)
        } ?? false
    }

    /// What a password challenge is answered with.
    private func decide(
        _ given: ChallengeAnswer,
        _ challenge: LoadChallenge,
        _ space: URLProtectionSpace,
        _ proposed: URLCredential?
    ) -> LoadChallengeAnswer {
        guard given.disposition != .performDefaultHandling else {
            return proposed.flatMap { PasswordCredential($0) }.map { .use($0) } ?? .goOn
        }
        if given.disposition == .useCredential, let credential = given.credential {
            engine.credentials.keep(credential, for: space)
        }
        return LoadChallengeAnswer(given, to: challenge)
    }

    /// That of the session's store, or else that in the URL.
    private func storedCredential(for space: URLProtectionSpace) -> URLCredential? {
        if let stored = engine.credentials.credential(for: space) { return stored }
        guard !space.isProxy(), let url = task.originalRequest?.url,
            let origin = Origin(url: url.absoluteString), origin.host == space.host,
            origin.port == space.port, origin.scheme == space.protocol,
            let user = url.user(percentEncoded: false),
            let password = url.password(percentEncoded: false)
        else { return nil }
        return URLCredential(user: user, password: password, persistence: .none)
    }

    /// DL-9: the session's delegate is asked, and the task's where that one does not answer such questions.
    private func askSession(
        _ challenge: URLAuthenticationChallenge,
        then answer: Answer<ChallengeAnswer>
    ) {
        guard let delegate = task.session?.delegate,
            !DelegateForms.isDefault(.sessionChallenge, of: delegate)
        else { return askTask(challenge, then: answer) }
        task.deliver(
            .call { [self] session in
                delegate.urlSession(session, didReceive: challenge) { disposition, credential in
                    let given = ChallengeAnswer(disposition: disposition, credential: credential)
                    LoopActor.perform { [self] in
                        let isDefault =
                            disposition == .performDefaultHandling
                            && DelegateForms.isDefault(.sessionChallenge, of: delegate)
                        if isDefault { askTask(challenge, then: answer) } else { answer(given) }
                    }
                }
            }
        )
    }

    /// DL-10: the task's delegate is asked, and nobody in its place.
    private func askTask(
        _ challenge: URLAuthenticationChallenge,
        then answer: Answer<ChallengeAnswer>
    ) {
        ask { [task] session, delegate in
            delegate.urlSession(session, task: task, didReceive: challenge) {
                disposition,
                credential in
                let given = ChallengeAnswer(disposition: disposition, credential: credential)
                LoopActor.perform { answer(given) }
            }
        } orElse: {
            answer(ChallengeAnswer(disposition: .performDefaultHandling))
        }
    }
}
