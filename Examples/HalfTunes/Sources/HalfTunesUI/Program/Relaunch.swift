import Ferry
import Foundation
import HalfTunesCore

/// What the program does when ferryd has started it because its downloads are done.
@MainActor
final class Relaunch: ApplicationDelegate {
    /// What has been filed.
    private(set) var finished: [Track] = []
    /// What has not come, with the reasons.
    private(set) var failed: [(track: Track, reason: String)] = []
    private let tunes: @MainActor () -> Tunes?

    /// The handling of the events of a launch.
    ///
    /// - Parameter tunes: Makes the session again, with all that belongs to it.
    init(tunes: @escaping @MainActor () -> Tunes?) {
        self.tunes = tunes
    }

    func application(
        _ application: Application,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {
        guard identifier == DownloadService.sessionIdentifier, let tunes = tunes() else {
            return completionHandler()
        }
        tunes.downloads.finished = { [weak self] in self?.finished.append($0) }
        tunes.downloads.failed = { [weak self] in
            self?.failed.append(($0, $1.localizedDescription))
        }
        tunes.downloads.allWasTold = completionHandler
    }
}
