import Synchronization

/// The background sessions that are open in this process, whose files it takes.
final class Ownership: Sendable {
    private let sessions: Mutex<Set<String>>

    /// No sessions, or some.
    init(_ sessions: Set<String> = []) {
        self.sessions = Mutex(sessions)
    }

    /// Whether this process takes a transfer's file.
    func contains(_ id: TransferRow.ID) -> Bool {
        id.application == DownloadSession.application
            && sessions.withLock { $0.contains(id.session) }
    }

    /// Records that a session is open here.
    func insert(_ session: String) {
        sessions.withLock { _ = $0.insert(session) }
    }

    /// Records that another process has the session.
    func remove(_ session: String) {
        sessions.withLock { _ = $0.remove(session) }
    }
}
