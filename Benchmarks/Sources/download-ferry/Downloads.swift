import Foundation
import Synchronization

#if FERRY
import Ferry
#else
import FoundationNetworking
#endif

/// Moves every file to its place, and ends the program after the last one.
final class Downloads: NSObject, URLSessionDownloadDelegate {
    private let directory: String
    private let count: Int
    private let endedCount = Mutex(0)

    /// A delegate.
    ///
    /// - Parameters:
    ///   - directory: Where files go, under the names in their tasks' descriptions.
    ///   - count: How many tasks there are.
    init(directory: String, count: Int) {
        self.directory = directory
        self.count = count
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let target = "\(directory)/\(downloadTask.taskDescription ?? "")"
        guard rename(location.path, target) == 0 else {
            return fail("\(location.path) cannot be moved to \(target)")
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        if let error { fail("\(error)") }
        let isLast = endedCount.withLock { count in
            count += 1
            return count == self.count
        }
        if isLast { session.finishTasksAndInvalidate() }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        exit(0)
    }

    private func fail(_ message: String) {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(1)
    }
}
