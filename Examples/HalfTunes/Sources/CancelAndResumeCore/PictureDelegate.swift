import DesktopCore
import Ferry
import Foundation
import Synchronization

/// Files what a session has downloaded, and tells the rest to the app.
///
/// The session's queue runs it: a finished file is there only until the method returns, so it is filed
/// before that, and not when the main actor has time.
final class PictureDelegate: NSObject, URLSessionDownloadDelegate {
    /// What has happened, in order; ends with the session.
    let events: AsyncStream<PictureEvent>

    private let event: AsyncStream<PictureEvent>.Continuation
    private let pictures: Folder
    /// Why files of tasks that are not complete yet were not taken.
    private let failures = Mutex<[Int: any Error]>([:])

    init(pictures: Folder) {
        self.pictures = pictures
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
        event.yield(.progressed(downloadTask, progress))
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        let progress = DownloadProgress(
            receivedByteCount: fileOffset,
            expectedByteCount: expectedTotalBytes
        )
        event.yield(.progressed(downloadTask, progress))
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
        if let error = error ?? failure {
            let urlError = error as? URLError
            // Who has cancelled it knows.
            guard urlError?.code != .cancelled else { return }
            let resumeData = urlError?.downloadTaskResumeData
            event.yield(.failed(task, error.localizedDescription, resumeData: resumeData))
        } else if let file = pictures.file(named: Self.fileName(task)) {
            event.yield(.arrived(task, file))
        } else {
            let reason = CocoaError(.fileNoSuchFile).localizedDescription
            event.yield(.failed(task, reason, resumeData: nil))
        }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        event.yield(.allWasTold)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        event.finish()
    }

    private static func fileName(_ task: URLSessionTask) -> String {
        task.originalRequest?.url.map(FileName.of) ?? "picture"
    }
}
