import Ferry
import Foundation
import Synchronization

/// Downloads in a background session, or takes the events of one.
final class TestApp: NSObject, ApplicationDelegate, URLSessionDownloadDelegate {
    /// The session whose lines begin with its name.
    private static let secondSession = "second"

    let options: TestAppOptions
    let events: EventWriter
    private let completionHandler = Mutex<(@Sendable () -> Void)?>(nil)
    private let session = Mutex<URLSession?>(nil)
    private let suspended = Mutex<Set<Int>>([])
    private let isInterrupted = Mutex(false)
    private let manySessions = Mutex<[URLSession]>([])

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
            for (url, timeout, _) in options.urls {
                guard let request = request(url, timeout) else { continue }
                await handOver(request, to: session, at: limit)
            }
        } else if earlier.isEmpty, options.guarded == nil {
            for (url, timeout, mirror) in options.urls {
                guard let request = request(url, timeout) else { continue }
                start(request, mirror: mirror, in: session)
            }
            for (url, path) in options.uploads {
                for _ in 0..<options.uploadCount { upload(path, to: url, in: session) }
            }
            if let url = options.secondURL { useSecondSession(for: url) }
        }
        useManySessions()
        if options.flushesOnSignal { flushOnSignal(session) }
        useBackgroundTasks(session)
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

    private func start(_ request: URLRequest, mirror: String?, in session: URLSession) {
        let task = session.downloadTask(with: request)
        task.transferOptions.mirrors = mirror.flatMap { URL(string: $0) }.map { [$0] } ?? []
        task.taskDescription = request.url?.lastPathComponent
        if let seconds = options.beginIn {
            task.earliestBeginDate = Date(timeIntervalSinceNow: seconds)
        }
        task.resume()
        events.write("\(prefix(session))created \(task.taskIdentifier)")
    }

    private func upload(_ path: String, to url: String, in session: URLSession) {
        guard var request = request(url, nil) else { return }
        request.httpMethod = options.uploadMethod
        let task = session.uploadTask(with: request, fromFile: URL(fileURLWithPath: path))
        task.taskDescription = request.url?.lastPathComponent
        task.resume()
        events.write("created \(task.taskIdentifier)")
    }

    func request(_ text: String, _ timeout: Double?) -> URLRequest? {
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
        configuration.waitsForConnectivity = options.waitsForConnectivity
        configuration.isDiscretionary = options.isDiscretionary
        configuration.allowsExpensiveNetworkAccess = !options.avoided.contains("expensive-network")
        configuration.allowsConstrainedNetworkAccess =
            !options.avoided.contains("constrained-network")
        configuration.allowsCellularAccess = !options.avoided.contains("cellular-network")
        configuration.transferOptions.maximumConnectionsPerDownload = options.connections
        configuration.replacesExpiredLinks = options.link != nil
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        self.session.withLock { $0 = session }
        return session
    }

    // MARK: Steps of a scripted run

    /// Downloads in many sessions, each with a file of its own.
    private func useManySessions() {
        guard options.sessionCount > 0, let (url, _, _) = options.urls.first else { return }
        for number in 1...options.sessionCount {
            let configuration = URLSessionConfiguration.background(withIdentifier: "many-\(number)")
            let session = URLSession(
                configuration: configuration,
                delegate: self,
                delegateQueue: nil
            )
            guard let request = request("\(url)\(number)", nil) else { continue }
            let before = ContinuousClock.now
            start(request, mirror: nil, in: session)
            let duration = ContinuousClock.now - before
            if duration > .milliseconds(500) { events.write("blocked \(duration)") }
            manySessions.withLock { $0.append(session) }
        }
    }

    private func useSecondSession(for url: String) {
        let configuration = URLSessionConfiguration.background(withIdentifier: Self.secondSession)
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        if let request = request(url, nil) { start(request, mirror: nil, in: session) }
        session.finishTasksAndInvalidate()
    }

    /// Cancels the task that is to be interrupted, once, and goes on in another one.
    private func interrupt(_ task: URLSessionDownloadTask, of session: URLSession) {
        guard let name = options.interrupted, task.taskDescription == name,
            Application.shared.launchReason == .user
        else { return }
        let isFirst = isInterrupted.withLock { isInterrupted in
            defer { isInterrupted = true }
            return !isInterrupted
        }
        guard isFirst else { return }
        task.cancel { [events] data in
            guard let data else { return events.write("no-resume-data") }
            let next = session.downloadTask(withResumeData: data)
            next.taskDescription = "rest-of-\(name)"
            next.resume()
            events.write("continued \(next.taskIdentifier)")
        }
    }

    /// After what the delegate is being told of now.
    private func flushOnSignal(_ session: URLSession) {
        signal(SIGUSR1, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGUSR1)
        source.setEventHandler { [events] in
            session.delegateQueue.addOperation {
                Task {
                    await session.flush()
                    events.write("flushed")
                }
            }
        }
        source.activate()
        // It is there as long as the process.
        _ = Unmanaged.passRetained(source as AnyObject)
    }

    /// What stands before the lines of a session that is not the usual one.
    private func prefix(_ session: URLSession) -> String {
        session.configuration.identifier == Self.secondSession ? "\(Self.secondSession) " : ""
    }

    private func interrupt(_ task: URLSessionDownloadTask) {
        guard suspended.withLock({ $0.insert(task.taskIdentifier).inserted }) else { return }
        task.suspend()
        task.priority = URLSessionTask.highPriority
        task.resume()
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
        let session = openSession()
        if let next = options.takeNext().flatMap({ request($0, nil) }) {
            start(next, mirror: nil, in: session)
        }
    }

    // MARK: URLSessionDelegate

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        let prefix = prefix(session)
        guard prefix.isEmpty else { return events.write("\(prefix)invalid") }
        events.write("invalid")
        exit(0)
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        events.write("did-finish-events")
        let handler = completionHandler.withLock { $0 }
        Task { @MainActor in handler?() }
    }

    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        events.write("waits-for-connectivity \(task.taskIdentifier)")
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        events.write("progress \(downloadTask.taskIdentifier) \(totalBytesWritten)")
        interrupt(downloadTask, of: session)
        if let limit = options.suspendAt, totalBytesWritten >= limit { interrupt(downloadTask) }
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
            events.write(
                "\(prefix(session))finished \(downloadTask.taskIdentifier) \(name) \(status)"
            )
        } catch {
            events.write("\(prefix(session))not-moved \(downloadTask.taskIdentifier) \(error)")
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        guard options.tellsMetrics else { return }
        let statuses = metrics.transactionMetrics.map { transaction in
            (transaction.response as? HTTPURLResponse).map { "\($0.statusCode)" } ?? "-"
        }
        events.write("metrics \(task.taskIdentifier) \(statuses.joined(separator: " "))")
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        let code = error.map { "\(($0 as NSError).code)" } ?? "ok"
        events.write("\(prefix(session))completed \(task.taskIdentifier) \(code)")
    }
}
