import DesktopCore
import Ferry
import Foundation
import Synchronization

/// Files what the session has downloaded, and tells the rest to the download service.
///
/// The session's queue runs it: a finished file is there only until the method returns, and ferryd
/// forgets it then, so it is in the library before that, and not when the main actor has time.
final class DownloadDelegate: NSObject, URLSessionDownloadDelegate {
    /// What has happened, in order.
    let events: AsyncStream<DownloadEvent>

    private let event: AsyncStream<DownloadEvent>.Continuation
    private let library: MusicLibrary
    /// Why files of tasks that are not complete yet were not taken.
    private let failures = Mutex<[Int: any Error]>([:])

    init(library: MusicLibrary) {
        self.library = library
        (events, event) = AsyncStream.makeStream()
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        guard let track = downloadTask.track else { return }
        let progress = DownloadProgress(
            receivedByteCount: totalBytesWritten,
            expectedByteCount: totalBytesExpectedToWrite
        )
        event.yield(.progressed(track, taskIdentifier: downloadTask.taskIdentifier, progress))
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        guard let track = downloadTask.track else { return }
        do {
            try DownloadFailure.check(downloadTask.response)
            try library.file(location, of: track)
        } catch {
            failures.withLock { $0[downloadTask.taskIdentifier] = error }
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        guard let track = task.track else { return }
        let failure = failures.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        if let error = error ?? failure {
            event.yield(.failed(track, taskIdentifier: task.taskIdentifier, error))
        } else {
            event.yield(.filed(track))
        }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        event.yield(.allWasTold)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        event.finish()
    }
}

/// What the download session's delegate has learnt.
enum DownloadEvent: Sendable {
    case progressed(Track, taskIdentifier: Int, DownloadProgress)
    /// The file is in the library.
    case filed(Track)
    /// The task has ended without a file in the library.
    case failed(Track, taskIdentifier: Int, any Error)
    /// Everything that this process was started for has been told.
    case allWasTold
}

extension URLSessionTask {
    /// The track that the task downloads, kept in its description, which outlives the app.
    var track: Track? {
        guard let taskDescription else { return nil }
        return try? JSONDecoder().decode(Track.self, from: Data(taskDescription.utf8))
    }

    /// Keeps the track in the task's description.
    func describe(_ track: Track) {
        guard let data = try? JSONEncoder().encode(track) else { return }
        taskDescription = String(decoding: data, as: UTF8.self)
    }
}
