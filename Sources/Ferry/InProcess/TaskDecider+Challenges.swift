import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation

extension TaskDecider {
    /// The decider about the task's challenges.
    var challenges: AppChallenges { AppChallenges(task: task, credentials: engine.credentials) }

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

    /// Returns whether the app has already approved a server's certificates.
    func hasApproved(_ trust: HTTPServerTrust) -> Bool { engine.approvedServers.contains(trust) }

    /// Returns the client identity for a request's server: the one that the app has provided, or the session's own.
    func identity(for request: TransferRequest) -> HTTPIdentity? {
        if !engine.identities.isEmpty, let origin = Origin(url: request.url),
            let identity = engine.identities[origin]
        {
            return identity
        }
        guard case .success(let identity) = engine.ownIdentity else { return nil }
        return OwnIdentity(identity, meantFor: task.madeFor)?
            .identity(for: request)
    }

    /// Asks the app about a challenge.
    func decide(
        on challenge: LoadChallenge,
        then answer: @escaping @LoopActor (LoadChallengeAnswer) -> Void
    ) {
        sharedRequest?.releaseFollowers()
        challenges.decide(on: challenge) { [engine] decision in
            switch (challenge.kind, decision.answer) {
            case (.clientCertificate, .identify(let identity)):
                engine.identities[challenge.origin] = identity
            case (.serverTrust(let trust), .trust):
                engine.approvedServers.approve(trust)
            default:
                break
            }
            answer(decision.answer)
        }
    }
}
