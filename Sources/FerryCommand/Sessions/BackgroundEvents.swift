import Ferry
import Foundation
import Synchronization

/// The delegate of a `ferry` process that ferryd has started for a session's files.
@MainActor
final class BackgroundEvents: ApplicationDelegate {
    private let taker: FileTaker
    private let log: FileLog
    private var sessions: [CommandSession] = []

    /// A delegate.
    ///
    /// - Parameters:
    ///   - taker: The object that takes the files.
    ///   - log: The log of their outcomes, because no command shows them.
    init(taker: FileTaker, log: FileLog) {
        self.taker = taker
        self.log = log
    }

    func application(
        _ application: Application,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {
        let log = log
        var taker = taker
        taker.whenWaiting = { _, url, obstacle in log.write(url: url, obstacle.text) }
        let session = CommandSession.open(identifier, taker: taker) { _, url, outcome in
            log.write(url: url, outcome)
        }
        sessions.append(session)
        session.whenDrained {
            Task { @MainActor in completionHandler() }
        }
    }
}

/// The background sessions that are open in this process, whose files it takes.
final class Ownership: Sendable {
    private let sessions: Mutex<Set<String>>

    /// No sessions, or some.
    init(_ sessions: Set<String> = []) {
        self.sessions = Mutex(sessions)
    }

    /// Whether this process takes a transfer's file.
    func contains(_ id: TransferRow.ID) -> Bool {
        id.application == CommandSession.application
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
