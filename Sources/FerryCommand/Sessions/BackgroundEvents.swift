import Ferry
import Foundation

/// What `ferry` does when ferryd has started it for a session's files.
@MainActor
final class BackgroundEvents: ApplicationDelegate {
    private let taker: FileTaker
    private let log: FileLog
    private var sessions: [DownloadSession] = []

    /// A delegate.
    ///
    /// - Parameters:
    ///   - taker: What takes the files.
    ///   - log: Where to tell what became of them, as nobody looks on.
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
        let session = DownloadSession.open(identifier, taker: taker) { _, url, outcome in
            log.write(url: url, outcome)
        }
        sessions.append(session)
        session.whenDrained {
            Task { @MainActor in completionHandler() }
        }
    }
}
