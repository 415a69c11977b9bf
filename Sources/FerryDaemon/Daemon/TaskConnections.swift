import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer

/// Counts the connections of a download beyond its first one against the daemon's limits.
final class TaskConnections: ConnectionLender {
    private let task: TaskID
    private let session: SessionID
    private weak var daemon: Daemon?

    init(task: TaskID, session: SessionID, daemon: Daemon) {
        self.task = task
        self.session = session
        self.daemon = daemon
    }

    func lend(connectionTo origin: String) -> Bool {
        let host = Self.host(of: origin)
        return daemon?.driver.change { machine in
            machine.lendConnection(task: task, session: session, host: host)
        } ?? false
    }

    func takeBack(connectionTo origin: String) {
        let host = Self.host(of: origin)
        let isAwaited = daemon?.driver.change { machine in
            machine.takeBackConnection(task: task, session: session, host: host)
        }
        guard let daemon, isAwaited == true else { return }
        // Not while an effect of the machine is being performed.
        LoopActor.perform { daemon.input { $0.turn.searchForTasks() } }
    }

    /// Returns the host that an origin counts for.
    static func host(of origin: String) -> String { Origin(url: origin + "/")?.authority ?? origin }
}

/// Asks the application of a task to decide about its challenges.
final class TaskChallenges: ChallengeDecider {
    private let task: TaskID
    private let session: SessionID
    private let ownIdentity: OwnIdentity?
    private weak let daemon: Daemon?

    /// Creates a decider.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - session: Its session.
    ///   - ownIdentity: The client's identity that needs no decision.
    ///   - daemon: The daemon that asks the application.
    init(task: TaskID, session: SessionID, ownIdentity: OwnIdentity?, daemon: Daemon) {
        self.task = task
        self.session = session
        self.ownIdentity = ownIdentity
        self.daemon = daemon
    }

    func hasApproved(_ trust: HTTPServerTrust) -> Bool {
        daemon?.driver.change { $0.hasApproved(trust, inSession: session) } ?? false
    }

    func identity(for request: TransferRequest) -> HTTPIdentity? {
        daemon.flatMap { $0.driver.change { $0.identity(for: request, inSession: session) } }
            ?? ownIdentity?.identity(for: request)
    }

    func decide(
        on challenge: LoadChallenge,
        then answer: @escaping @LoopActor (LoadChallengeAnswer) -> Void
    ) {
        guard let daemon else { return answer(.performDefaultHandling) }
        daemon.questions[task] = answer
        daemon.input { $0.challenged(task: task, challenge) }
    }
}
