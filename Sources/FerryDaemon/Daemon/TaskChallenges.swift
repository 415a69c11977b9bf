import FerryHTTP
import FerrySystem
import FerryTransfer

/// Has the application of a task decide about its challenges.
final class TaskChallenges: ChallengeDecider {
    private let task: Int64
    private let session: Int64
    private weak let daemon: Daemon?

    init(task: Int64, session: Int64, daemon: Daemon) {
        self.task = task
        self.session = session
        self.daemon = daemon
    }

    private var keptAnswers: KeptAnswers? { daemon?.machine.sessions[session]?.keptAnswers }

    func hasApproved(_ trust: HTTPServerTrust) -> Bool { keptAnswers?.hasApproved(trust) ?? false }

    func identity(for request: TransferRequest) -> HTTPIdentity? {
        keptAnswers?.identity(for: request)
    }

    func decide(
        on challenge: LoadChallenge,
        then answer: @escaping @LoopActor (LoadChallengeAnswer) -> Void
    ) {
        guard let daemon else { return answer(.goOn) }
        daemon.questions[task] = answer
        daemon.input { machine, now in machine.challenged(task: task, challenge, at: now) }
    }
}
