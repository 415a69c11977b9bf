import Ferry
import Foundation

/// Downloads episodes of podcasts in the background, and takes what has arrived when the app is
/// launched for it.
///
/// Written for Apple's URLSession; beside an import, `ApplicationDelegate` stands where an iOS app
/// has `UIApplicationDelegate`.
final class PodcastDownloader: NSObject, @unchecked Sendable {
    static let sessionIdentifier = "org.example.podcasts.episodes"

    /// What the app's screens show.
    struct Episode: Equatable {
        let title: String
        let url: URL
        var file: URL?
        var error: String?
    }

    /// Called on the session's queue with each episode that has ended.
    var onEpisode: ((Episode) -> Void)?

    private let folder: URL
    // Guards what follows: the main thread and the session's queue both use it.
    private let lock = NSLock()
    private var episodes: [Episode] = []
    private var backgroundCompletionHandler: (@Sendable () -> Void)?

    private lazy var urlSession: URLSession = {
        let configuration = URLSessionConfiguration.background(
            withIdentifier: Self.sessionIdentifier
        )
        configuration.isDiscretionary = false
        configuration.sessionSendsLaunchEvents = true
        configuration.allowsCellularAccess = true
        configuration.timeoutIntervalForResource = 24 * 60 * 60
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()

    init(folder: URL) {
        self.folder = folder
    }

    /// The episodes that have ended in this launch.
    var endedEpisodes: [Episode] { lock.withLock { episodes } }

    /// Starts a download that needs no app.
    func download(_ title: String, from url: URL) {
        let task = urlSession.downloadTask(with: url)
        task.taskDescription = title
        task.countOfBytesClientExpectsToSend = 200
        task.countOfBytesClientExpectsToReceive = 5 * 1024 * 1024
        task.resume()
    }

    /// The titles of the downloads under way, also those of earlier launches.
    func pendingTitles() async -> [String] {
        await urlSession.tasks.2.compactMap(\.taskDescription)
    }

    /// Returns when the system has all that was asked for.
    func flush() async {
        await urlSession.flush()
    }

    private func record(_ task: URLSessionTask, file: URL?, error: String?) {
        guard let url = task.originalRequest?.url else { return }
        let title = task.taskDescription ?? url.lastPathComponent
        let episode = Episode(title: title, url: url, file: file, error: error)
        lock.withLock { episodes.append(episode) }
        onEpisode?(episode)
    }
}

// MARK: - ApplicationDelegate

extension PodcastDownloader: ApplicationDelegate {
    func application(
        _ application: Application,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {
        guard identifier == Self.sessionIdentifier else { return completionHandler() }
        lock.withLock { backgroundCompletionHandler = completionHandler }
        // Making the session again is what lets its events come.
        _ = urlSession
    }
}

// MARK: - URLSessionDownloadDelegate

extension PodcastDownloader: URLSessionDownloadDelegate {
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        DispatchQueue.main.async {
            let handler = self.lock.withLock { () -> (@Sendable () -> Void)? in
                defer { self.backgroundCompletionHandler = nil }
                return self.backgroundCompletionHandler
            }
            handler?()
        }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        guard let response = downloadTask.response as? HTTPURLResponse,
            (200...299).contains(response.statusCode)
        else {
            record(downloadTask, file: nil, error: "server error")
            return
        }
        let name = downloadTask.originalRequest?.url?.lastPathComponent ?? "episode"
        let savedURL = folder.appendingPathComponent(name)
        do {
            try FileManager.default.moveItem(at: location, to: savedURL)
            record(downloadTask, file: savedURL, error: nil)
        } catch {
            record(downloadTask, file: nil, error: "file error: \(error)")
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        guard let error else { return }
        record(task, file: nil, error: error.localizedDescription)
    }
}
