import FerrySystem
import FerryTransfer

/// Counts the connections that a download has beside its first one against the daemon's limits.
final class TaskConnections: ConnectionLender {
    private let session: Int64
    private weak var daemon: Daemon?

    init(session: Int64, daemon: Daemon) {
        self.session = session
        self.daemon = daemon
    }

    func lend(connectionTo origin: String) -> Bool {
        daemon?.machine.lendConnection(session: session, host: host(of: origin)) ?? false
    }

    func takeBack(connectionTo origin: String) {
        guard let daemon,
            daemon.machine.takeBackConnection(session: session, host: host(of: origin))
        else { return }
        // Not from inside of what the machine has just asked for.
        LoopActor.perform { daemon.input { machine, now in machine.searchForTasks(at: now) } }
    }

    private func host(of origin: String) -> String { HostName.of(origin + "/") ?? origin }
}
