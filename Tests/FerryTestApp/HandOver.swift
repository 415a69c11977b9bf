import Ferry
import Foundation
import Synchronization

/// The delegate of a foreground download that is cancelled when enough has arrived.
final class HandOver: NSObject, URLSessionDownloadDelegate {
    private struct State {
        var isCancelled = false
        var result: Data??
        var waiting: CheckedContinuation<Data?, Never>?
    }

    private let limit: Int64
    private let state = Mutex(State())

    init(limit: Int64) { self.limit = limit }

    /// What to go on from, once the download is cancelled.
    func resumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state in
                state.waiting = continuation
                return state.result
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        guard totalBytesWritten >= limit else { return }
        let isFirst = state.withLock { state in
            defer { state.isCancelled = true }
            return !state.isCancelled
        }
        guard isFirst else { return }
        downloadTask.cancel { data in
            let waiting = self.state.withLock { state in
                state.result = .some(data)
                return state.waiting
            }
            waiting?.resume(returning: data)
        }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        state.withLock { $0.waiting }?.resume(returning: nil)
    }
}
