import FerrySystem
import FerryTransfer

/// Counts the connections of a download beyond its first one against the daemon's limits.
final class TaskConnections: ConnectionLender {
    private let task: Int64
    private let session: Int64
    private weak var daemon: Daemon?

    init(task: Int64, session: Int64, daemon: Daemon) {
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
        LoopActor.perform { daemon.input { machine, now in machine.searchForTasks(at: now) } }
    }

    /// Returns the host that an origin counts for.
    static func host(of origin: String) -> String { Origin(url: origin + "/")?.authority ?? origin }
}
