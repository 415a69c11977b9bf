import Ferry
import Foundation

/// The delegate of a `ferry` process that ferryd has started for a session's files.
@MainActor
final class BackgroundEvents: ApplicationDelegate {
    private let taker: FileTaker
    private let log: FileLog
    private var sessions: [DownloadSession] = []

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
        let session = DownloadSession.open(identifier, taker: taker) { _, url, outcome in
            log.write(url: url, outcome)
        }
        sessions.append(session)
        session.whenDrained {
            Task { @MainActor in completionHandler() }
        }
    }
}
