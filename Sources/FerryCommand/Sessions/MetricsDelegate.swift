import Ferry
import Foundation

/// A delegate that takes the metrics of a session's tasks, and passes all else on.
///
/// Metrics are collected only where a delegate wants them: most commands need none.
final class MetricsDelegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
    private let session: CommandSession
    private let take: @Sendable (URLSessionTaskMetrics) -> Void

    /// A delegate in front of another one.
    init(
        _ session: CommandSession,
        take: @escaping @Sendable (URLSessionTaskMetrics) -> Void
    ) {
        self.session = session
        self.take = take
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) { take(metrics) }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        self.session.urlSession(
            session,
            downloadTask: downloadTask,
            didFinishDownloadingTo: location
        )
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self.session.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        self.session.urlSession(session, task: task, didCompleteWithError: error)
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        self.session.urlSessionDidFinishEvents(forBackgroundURLSession: session)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        self.session.urlSession(session, didBecomeInvalidWithError: error)
    }
}

extension MetricsDelegate: AbsentFileObserver {
    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        waitsForFileIn directory: URL
    ) {
        self.session.urlSession(session, downloadTask: downloadTask, waitsForFileIn: directory)
    }
}
