import Ferry
import Foundation
import Synchronization

/// A transfer of a default session in a background task, and what becomes of it when the time runs out.
final class GuardedTransfer: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
    /// What the expiration handler does.
    enum Expiration: String {
        /// Goes on in the background session, then ends the task.
        case handOver = "hand-over"
        /// Nothing: the task stays open as long as the transfer takes.
        case goOn = "go-on"
        /// Ends the task, and leaves the transfer to itself.
        case end
    }

    private struct State {
        var guardian = Application.BackgroundTaskIdentifier.invalid
        var isHandedOver = false
    }

    private let expiration: Expiration
    private let request: URLRequest
    private let file: URL?
    private let background: URLSession
    private let events: EventWriter
    private let state = Mutex(State())

    /// A download; an upload if there is a file.
    init(
        _ request: URLRequest,
        file: URL?,
        expiration: Expiration,
        background: URLSession,
        events: EventWriter
    ) {
        self.request = request
        self.file = file
        self.expiration = expiration
        self.background = background
        self.events = events
    }

    func start() {
        let session = URLSession(configuration: .default, delegate: self, delegateQueue: nil)
        let task =
            file.map { session.uploadTask(with: request, fromFile: $0) as URLSessionTask }
            ?? session.downloadTask(with: request)
        let guardian = Application.shared.beginBackgroundTask(withName: "transfer") {
            self.expire(task)
        }
        state.withLock { $0.guardian = guardian }
        task.resume()
    }

    private func expire(_ task: URLSessionTask) {
        events.write("expired")
        switch expiration {
        case .goOn: break
        case .end: end()
        case .handOver: handOver(task)
        }
    }

    private func handOver(_ task: URLSessionTask) {
        state.withLock { $0.isHandedOver = true }
        if let download = task as? URLSessionDownloadTask {
            download.cancel { data in
                self.proceed(
                    data.map { self.background.downloadTask(withResumeData: $0) }
                        ?? self.background.downloadTask(with: self.request)
                )
            }
        } else if let file {
            task.cancel()
            proceed(background.uploadTask(with: request, fromFile: file))
        }
    }

    private func proceed(_ task: URLSessionTask) {
        task.taskDescription = request.url?.lastPathComponent
        task.resume()
        events.write("handed-over \(task.taskIdentifier)")
        end()
    }

    /// More than once, as an app may.
    private func end() {
        let guardian = state.withLock { $0.guardian }
        for _ in 0..<2 { Application.shared.endBackgroundTask(guardian) }
    }

    // MARK: Delegate

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        events.write("foreground-progress \(totalBytesWritten)")
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        guard !state.withLock({ $0.isHandedOver }) else { return }
        events.write("foreground-completed \(error.map { "\(($0 as NSError).code)" } ?? "ok")")
        end()
    }
}

/// Writes lines that are shorter than a pipe's atomic size, so that processes do not mix them.
struct EventWriter: Sendable {
    private let descriptor: Int32

    init(path: String) { descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC) }

    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Foundation.write(descriptor, bytes, bytes.count)
    }
}
