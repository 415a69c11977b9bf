import Ferry
import Foundation
import Synchronization

/// A background session of `ferry get` or `ferry put`, and the delegate that takes its files.
///
/// It is the same in the process that requested the transfers, in one that watches them, and in one that ferryd has
/// started for them.
final class CommandSession: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
    /// The name under which ferryd knows the `ferry` command.
    static let application = "ferry"

    /// A report of the session: a transfer, the requested URL, and the outcome.
    typealias Report = @Sendable (TransferRow.ID, _ url: URL?, Outcome) -> Void

    private struct State {
        var outcomes: [Int: Outcome] = [:]
        var answers: [Int: Answer] = [:]
        var isInvalid = false
        var whenInvalid: [@Sendable () -> Void] = []
        /// Whether this process is about to end, and leaves the rest to a later one.
        var isLeaving = false
        var whenLeaving: [@Sendable () -> Void] = []
    }

    /// The session's identifier.
    let identifier: String

    private let taker: FileTaker
    private let report: Report
    private let givenUp = GivenUpDownloads(environment: ProcessInfo.processInfo.environment)
    private let startsSuspended: Bool
    private let suspended: Mutex<[URLSessionTask]> = Mutex([])
    private let state = Mutex(State())
    // The session retains its delegate, which therefore gets its session only after that is created.
    private let session = Mutex<URLSession?>(nil)

    /// Opens a session, or continues one that an earlier process has opened.
    ///
    /// - Parameters:
    ///   - identifier: The session's identifier.
    ///   - options: The options of its downloads.
    ///   - taker: The object that takes the files.
    ///   - report: Called on the session's queue when a transfer has ended.
    /// - Returns: The session.
    static func open(
        _ identifier: String,
        _ options: SessionOptions = SessionOptions(),
        taker: FileTaker,
        report: @escaping Report
    ) -> CommandSession {
        let delegate = CommandSession(
            identifier: identifier,
            startsSuspended: options.startsSuspended,
            taker: taker,
            report: report
        )
        let session = URLSession(
            configuration: options.configuration(of: identifier),
            delegate: options.takeMetrics.map { MetricsDelegate(delegate, take: $0) } ?? delegate,
            delegateQueue: nil
        )
        delegate.session.withLock { $0 = session }
        return delegate
    }

    private init(
        identifier: String,
        startsSuspended: Bool,
        taker: FileTaker,
        report: @escaping Report
    ) {
        self.identifier = identifier
        self.startsSuspended = startsSuspended
        self.taker = taker
        self.report = report
    }

    /// Starts a download, with the bytes of an earlier one that was given up.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: The options of the download.
    ///   - destination: The destination of the file.
    /// - Returns: The identity of the transfer; nil when the session has ended.
    /// - Throws: An error when the destination cannot be encoded.
    func download(
        _ request: URLRequest,
        _ options: TransferOptions,
        to destination: Destination
    ) throws -> TransferRow.ID? {
        guard let session = session.withLock({ $0 }) else { return nil }
        let task =
            givenUp.take(for: request).map { session.downloadTask(withResumeData: $0) }
            ?? session.downloadTask(with: request)
        task.taskDescription = try destination.taskDescription
        task.transferOptions = options
        start(task)
        return id(of: task)
    }

    /// Starts an upload.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - request: The request.
    ///   - options: The options of the upload.
    ///   - command: The command that runs afterwards; nil for none.
    /// - Returns: The identity of the transfer; nil when the session has ended.
    func upload(
        _ path: String,
        _ request: URLRequest,
        _ options: TransferOptions,
        _ command: EndCommand? = nil
    ) -> TransferRow.ID? {
        guard let session = session.withLock({ $0 }) else { return nil }
        let file = URL(filePath: path, directoryHint: .notDirectory)
        let task = session.uploadTask(with: request, fromFile: file)
        task.taskDescription = command?.taskDescription
        task.transferOptions = options
        start(task)
        return id(of: task)
    }

    private func start(_ task: URLSessionTask) {
        if startsSuspended { suspended.withLock { $0.append(task) } } else { task.resume() }
    }

    /// Lets the transfers begin that were started suspended, and waits until ferryd has recorded that.
    func resume() async {
        for task in suspended.withLock({ $0 }) { task.resume() }
        await settle()
    }

    /// Waits until ferryd has recorded all requests and acknowledgements so far.
    func settle() async {
        await session.withLock { $0 }?.flush()
    }

    /// Ends the session permanently, when its transfers are over.
    func finish() async {
        guard let session = session.withLock({ $0 }) else { return }
        await withCheckedContinuation { continuation in
            whenInvalid { continuation.resume() }
            session.finishTasksAndInvalidate()
        }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        // A file that is half moved when the process ends would be moved twice. Returning would delete the file: it
        // is left to the process that is started for it.
        if state.withLock({ $0.isLeaving }) { return Self.waitForTheEnd() }
        let id = id(of: downloadTask)
        do {
            let url = downloadTask.originalRequest?.url
            let outcome = try taker.take(
                location,
                taskDescription: downloadTask.taskDescription,
                response: downloadTask.response,
                url: url
            ) { obstacle in
                Self.record(obstacle, of: downloadTask)
                taker.whenWaiting(id, url, obstacle)
            }
            Self.recordLocation(in: outcome, of: downloadTask)
            state.withLock { $0.outcomes[downloadTask.taskIdentifier] = outcome }
        } catch {
            // Returning would delete the file. Until this process has returned, ferryd keeps the file, and starts
            // another process for it after a while.
            let message = "\(error); ferryd keeps the file and tries again"
            let url = downloadTask.originalRequest?.url
            report(id, url, .failed(.cannotPlace(message)))
            Console.live.errorLine("ferry: \(message)")
            exit(ExitCode.failure.rawValue)
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        if let error { keep(error, of: task) }
        let (taken, answer) = state.withLock { state in
            (
                state.outcomes.removeValue(forKey: task.taskIdentifier),
                state.answers.removeValue(forKey: task.taskIdentifier)
            )
        }
        let outcome =
            error.map { .failed(Outcome.Reason($0)) } ?? taken
            ?? (task is URLSessionUploadTask ? Outcome(task.response, answer) : found(for: task))
        report(id(of: task), task.originalRequest?.url, outcome)
        runCommand(after: outcome, of: task)
    }

    /// Starts the command that the user wants to run after a transfer.
    private func runCommand(after outcome: Outcome, of task: URLSessionTask) {
        guard let command = EndCommand(taskDescription: task.taskDescription) else { return }
        do {
            try command.start(
                after: outcome,
                of: task.originalRequest?.url,
                in: Destination(taskDescription: task.taskDescription)?.directory
            )
        } catch {
            Console.live.errorLine("ferry: '\(command.text)' cannot be started: \(error)")
        }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive data: Data
    ) {
        state.withLock { $0.answers[dataTask.taskIdentifier, default: Answer()].append(data) }
    }

    /// Keeps the bytes of a download that has failed for the next one with its request.
    private func keep(_ error: any Error, of task: URLSessionTask) {
        guard let resumeData = (error as? URLError)?.downloadTaskResumeData,
            let request = task.originalRequest
        else { return }
        do {
            try givenUp.keep(resumeData, of: request, id: id(of: task))
        } catch {
            Console.live.errorLine("ferry: what has arrived cannot be continued: \(error)")
        }
    }

    /// Records with the task what its file waits for, so that `ferry why` and `ferry list` can say so.
    private static func record(_ obstacle: Obstacle, of task: URLSessionTask) {
        guard var destination = Destination(taskDescription: task.taskDescription) else { return }
        destination.obstacle = obstacle.text
        task.taskDescription = (try? destination.taskDescription) ?? task.taskDescription
    }

    /// Returns the outcome of a task whose file an earlier process has taken, and died before ferryd had recorded that.
    private func found(for task: URLSessionTask) -> Outcome {
        let outcome = taker.find(
            taskDescription: task.taskDescription,
            response: task.response,
            url: task.originalRequest?.url,
            byteCount: task.countOfBytesReceived
        )
        if let download = task as? URLSessionDownloadTask {
            Self.recordLocation(in: outcome, of: download)
        }
        return outcome
    }

    /// Records with the task where its file was saved, or where another one stays.
    private static func recordLocation(in outcome: Outcome, of task: URLSessionDownloadTask) {
        guard let path = outcome.path else { return }
        task.savedLocation = URL(filePath: path, directoryHint: .notDirectory)
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        session.getAllTasks { [self] tasks in
            // Running downloads are no reason to stay: ferryd starts this program for each that ends.
            if tasks.isEmpty { session.finishTasksAndInvalidate() } else { leave() }
        }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        self.session.withLock { $0 = nil }
        let actions = state.withLock { state in
            state.isInvalid = true
            defer { state.whenInvalid = [] }
            return state.whenInvalid
        }
        for action in actions { action() }
    }

    /// Calls back when the session has ended; at once if it has already.
    ///
    /// - Parameter action: What to call, on any thread.
    func whenInvalid(_ action: @escaping @Sendable () -> Void) {
        let isInvalid = state.withLock { state in
            if !state.isInvalid { state.whenInvalid.append(action) }
            return state.isInvalid
        }
        if isInvalid { action() }
    }

    /// Calls back when the session has ended, or when it has taken all available files.
    ///
    /// - Parameter action: What to call, on any thread.
    func whenDrained(_ action: @escaping @Sendable () -> Void) {
        whenInvalid(action)
        let isLeaving = state.withLock { state in
            if !state.isLeaving { state.whenLeaving.append(action) }
            return state.isLeaving
        }
        if isLeaving { action() }
    }

    private func leave() {
        let actions = state.withLock { state in
            state.isLeaving = true
            defer { state.whenLeaving = [] }
            return state.whenLeaving
        }
        for action in actions { action() }
    }

    private static func waitForTheEnd() { DispatchSemaphore(value: 0).wait() }

    private func id(of task: URLSessionTask) -> TransferRow.ID {
        TransferRow.ID(
            application: Self.application,
            session: identifier,
            taskIdentifier: task.taskIdentifier
        )
    }
}

extension CommandSession: AbsentFileObserver {
    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        waitsForFileIn directory: URL
    ) {
        let destination = Destination(taskDescription: downloadTask.taskDescription)
        let obstacle = Obstacle(absentFrom: directory.path, destination?.currentObstacle)
        Self.record(obstacle, of: downloadTask)
        taker.whenWaiting(id(of: downloadTask), downloadTask.originalRequest?.url, obstacle)
    }
}

extension Outcome.Reason {
    /// The code of a session that another process of `ferry` has open.
    static let inUse = "\(URLError.Code.backgroundSessionInUseByAnotherProcess.rawValue)"

    /// Returns a message about a file of `ferry get` in the command's words: who uses it has heard of no session.
    ///
    /// - Parameter message: The message.
    /// - Returns: The message in the command's words.
    static func withoutSession(_ message: String) -> String {
        message.replacing(
            "longer than its session allows",
            with: "longer than --give-up-after allows"
        )
    }

    /// The reason in a task's error.
    init(_ error: any Error) {
        let code = (error as? URLError)?.code.rawValue ?? (error as NSError).code
        // Apple's description names the kind of failure, the reason says what happened.
        let reason = (error as NSError).localizedFailureReason
        self.init(
            code: String(code),
            message: Self.withoutSession(reason ?? error.localizedDescription)
        )
    }
}

extension Application {
    /// The `ferry` command as ferryd knows it, and starts it for finished files.
    static var ferry: Application {
        shared.identifier = CommandSession.application
        shared.relaunch?.arguments = [BackgroundEventsCommand.syntax.name]
        shared.relaunch?.workingDirectory = "/"
        return shared
    }
}

/// The options of all transfers of a session.
struct SessionOptions: Sendable {
    /// The time limit of a transfer, including its waits; nil for a week.
    var timeLimit: Duration?
    /// Whether transfers begin only when they are resumed.
    var startsSuspended = false
    /// The maximum number of transfers at a time; nil for what ferryd's settings say.
    var maximumTransfers: Int?
    /// The maximum number of transfers with a host at a time; nil for what ferryd's settings say.
    var maximumConnectionsPerHost: Int?
    /// How connections are made; nil for the settings of the process that opened the session first.
    var connections: ConnectionChoice?
    /// The variables that are used where `connections` has no setting.
    var environment: [String: String] = [:]
    /// Called with the metrics of each task when it has ended; nil if nobody wants them.
    var takeMetrics: (@Sendable (URLSessionTaskMetrics) -> Void)?

    /// Returns a session's configuration.
    ///
    /// - Parameter identifier: The session's identifier.
    /// - Returns: The configuration.
    func configuration(of identifier: String) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        // A file should not wait for the others of its command.
        configuration.sessionSendsLaunchEventsForEachTask = true
        // What a session allows may not be more than what ferryd does.
        configuration.httpMaximumConnectionsPerHost = maximumConnectionsPerHost ?? 1000
        configuration.maximumConcurrentTasks = maximumTransfers
        if let timeLimit { configuration.timeoutIntervalForResource = timeLimit / .seconds(1) }
        configuration.keepsConnectionSettings = connections == nil
        connections?.apply(to: configuration, in: environment)
        return configuration
    }
}
