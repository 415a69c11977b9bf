import Ferry
import Foundation
import Synchronization

/// Downloads in a background session, or takes the events of one.
final class TestApp: NSObject, ApplicationDelegate, URLSessionDownloadDelegate {
    private let options: TestAppOptions
    private let events: EventWriter
    private let completionHandler = Mutex<(@Sendable () -> Void)?>(nil)
    private let session = Mutex<URLSession?>(nil)

    init(options: TestAppOptions, events: EventWriter) {
        self.options = options
        self.events = events
    }

    /// Starts the downloads, or finds those of an earlier process, and waits for ever.
    func run() async {
        let session = openSession()
        let earlier = await session.allTasks
        for task in earlier {
            events.write("found \(task.taskIdentifier) \(task.taskDescription ?? "-")")
        }
        if let limit = options.handOverAt {
            for (url, timeout) in options.urls {
                guard let request = request(url, timeout) else { continue }
                await handOver(request, to: session, at: limit)
            }
        } else if earlier.isEmpty {
            for (url, timeout) in options.urls {
                if let request = request(url, timeout) { start(request, in: session) }
            }
        }
        await session.flush()
        events.write("ready")
        if options.finishes { session.finishTasksAndInvalidate() }
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }

    /// Opens the session and waits in the main run loop, as an app without `async` does.
    ///
    /// No call of the delegate's, no task of Swift's: the first of either starts Dispatch's worker
    /// threads, and libdispatch then looks at them every second.
    @MainActor
    func idle() -> Never {
        _ = openSession()
        events.write("ready")
        Application.shared.run()
    }

    private func start(_ request: URLRequest, in session: URLSession) {
        let task = session.downloadTask(with: request)
        task.taskDescription = request.url?.lastPathComponent
        task.resume()
        events.write("created \(task.taskIdentifier)")
    }

    private func request(_ text: String, _ timeout: Double?) -> URLRequest? {
        guard let url = URL(string: text) else { return nil }
        var request = URLRequest(url: url)
        if let timeout { request.timeoutInterval = timeout }
        for field in options.fields {
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        return request
    }

    private func openSession() -> URLSession {
        let configuration =
            options.isForeground
            ? .default : URLSessionConfiguration.background(withIdentifier: options.session)
        configuration.sessionSendsLaunchEvents = options.sendsLaunchEvents
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        self.session.withLock { $0 = session }
        return session
    }

    // MARK: Foreground to background

    private func handOver(
        _ request: URLRequest,
        to session: URLSession,
        at limit: Int64
    ) async {
        let foreground = HandOver(limit: limit)
        let first = URLSession(
            configuration: .default,
            delegate: foreground,
            delegateQueue: nil
        )
        first.downloadTask(with: request).resume()
        guard let data = await foreground.resumeData() else {
            events.write("no-resume-data")
            return
        }
        events.write("resume-data")
        let task = session.downloadTask(withResumeData: data)
        task.taskDescription = request.url?.lastPathComponent
        task.resume()
    }

    // MARK: ApplicationDelegate

    @MainActor
    func application(
        _ application: Application,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {
        events.write("handle-events \(identifier)")
        self.completionHandler.withLock { $0 = completionHandler }
        _ = openSession()
    }

    // MARK: URLSessionDelegate

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        events.write("invalid")
        exit(0)
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        events.write("did-finish-events")
        let handler = completionHandler.withLock { $0 }
        Task { @MainActor in handler?() }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        events.write("progress \(downloadTask.taskIdentifier) \(totalBytesWritten)")
        if let limit = options.cancelAt, totalBytesWritten >= limit { downloadTask.cancel() }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        events.write("resumed \(downloadTask.taskIdentifier) \(fileOffset) \(expectedTotalBytes)")
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let name = downloadTask.taskDescription ?? "unnamed"
        let target = URL(fileURLWithPath: options.directory).appendingPathComponent(name)
        do {
            try? FileManager.default.removeItem(at: target)
            try FileManager.default.moveItem(at: location, to: target)
            let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 0
            events.write("finished \(downloadTask.taskIdentifier) \(name) \(status)")
        } catch {
            events.write("not-moved \(downloadTask.taskIdentifier) \(error)")
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        let code = error.map { "\(($0 as NSError).code)" } ?? "ok"
        events.write("completed \(task.taskIdentifier) \(code)")
    }
}
