import DesktopCore
import Ferry
import Foundation
import Synchronization

/// Files what the session has downloaded, logs how it ended, and tells the app.
///
/// The session's queue runs it: a finished file is there only until the method returns, and ferryd
/// forgets it then, so it is filed before that, and not when the main actor has time.
final class PictureDelegate: NSObject, URLSessionDownloadDelegate {
    /// What has happened, in order.
    let events: AsyncStream<PictureEvent>

    private let event: AsyncStream<PictureEvent>.Continuation
    private let pictures: Folder
    private let log: TransferLog
    /// Why files of tasks that are not complete yet were not taken.
    private let failures = Mutex<[Int: any Error]>([:])

    init(pictures: Folder, log: TransferLog) {
        self.pictures = pictures
        self.log = log
        (events, event) = AsyncStream.makeStream()
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        let progress = DownloadProgress(
            receivedByteCount: totalBytesWritten,
            expectedByteCount: totalBytesExpectedToWrite
        )
        event.yield(.progressed(taskIdentifier: downloadTask.taskIdentifier, progress))
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        do {
            try DownloadFailure.check(downloadTask.response)
            try pictures.take(location, as: Self.fileName(downloadTask))
        } catch {
            failures.withLock { $0[downloadTask.taskIdentifier] = error }
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        let failure = failures.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        // An app that was killed after it had taken the file is told no more than that all is well.
        if let error = error ?? failure {
            fail(task, error)
        } else if let file = pictures.file(named: Self.fileName(task)) {
            log.record("\(Self.fileName(task)) is downloaded.")
            event.yield(.arrived(file))
        } else {
            fail(task, CocoaError(.fileNoSuchFile))
        }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        event.yield(.allWasTold)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        event.finish()
    }

    private func fail(_ task: URLSessionTask, _ error: any Error) {
        log.record("\(Self.fileName(task)) was not downloaded: \(error)")
        let reason = error.localizedDescription
        event.yield(.failed(taskIdentifier: task.taskIdentifier, reason))
    }

    private static func fileName(_ task: URLSessionTask) -> String {
        task.originalRequest?.url.map(FileName.of) ?? "picture"
    }
}
