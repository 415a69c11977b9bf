import Ferry
import FerrySystem
import Foundation
@preconcurrency import Glibc

/// A download whose bytes this process writes to standard output, a pipe or a device, in order and as they come.
///
/// A broken connection is continued where it broke. Nothing is kept: the download ends with its process.
struct StreamedDownload {
    /// The number of bytes after which a broken connection is replaced at once.
    private static let progressByteCount: Int64 = 64 << 10
    private static let defaultTimeLimit = Duration.seconds(7 * 86_400)

    private let download: RequestedDownload
    private let timeLimit: Duration
    private let takeMetrics: (@Sendable (URLSessionTaskMetrics) -> Void)?

    /// A download.
    ///
    /// - Parameters:
    ///   - download: What is to be downloaded.
    ///   - timeLimit: The time limit, including waits; nil for a week.
    ///   - takeMetrics: Called with the metrics of each attempt; nil if nobody wants them.
    init(
        _ download: RequestedDownload,
        timeLimit: Duration?,
        takeMetrics: (@Sendable (URLSessionTaskMetrics) -> Void)?
    ) {
        self.takeMetrics = takeMetrics
        self.download = download
        self.timeLimit = timeLimit ?? Self.defaultTimeLimit
    }

    /// Writes all bytes.
    ///
    /// - Parameters:
    ///   - output: Where they go.
    ///   - configuration: The configuration of the session.
    ///   - style: The kind of output to standard error.
    ///   - context: The world outside.
    /// - Returns: The exit code.
    func run(
        to output: StreamOutput,
        _ configuration: URLSessionConfiguration,
        _ style: TransferDisplay.Style,
        in context: Context
    ) async -> ExitCode {
        // A reader that has gone is no reason to be killed by the signal: the output says so.
        signal(SIGPIPE, SIG_IGN)
        let interrupts = await context.interrupts()
        configuration.transferOptions = download.options
        for cookie in download.options.cookies {
            configuration.httpCookieStorage?.setCookie(cookie)
        }
        let id = TransferRow.ID(application: "", session: "", taskIdentifier: 0)
        let url = download.request.url?.shown ?? "-"
        var row = TransferRow(id: id, name: download.likelyName, url: url, isToBegin: true)
        row.isInsecure = download.options.acceptsInvalidCertificates
        let writer = StreamWriter(
            to: output,
            row,
            TransferDisplay(style: style, console: context.console),
            retriedStatuses: download.options.retry?.statuses ?? [],
            takeMetrics: takeMetrics,
            in: context
        )
        let session = URLSession(configuration: configuration, delegate: writer, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        let work = Task { await transfer(in: session, writer, context) }
        let watcher = Task {
            for await _ in interrupts { work.cancel() }
        }
        defer { watcher.cancel() }
        let code = await work.value
        return work.isCancelled ? .interrupted : code
    }

    private func transfer(
        in session: URLSession,
        _ writer: StreamWriter,
        _ context: Context
    ) async -> ExitCode {
        let start = context.instant()
        let retry = download.options.retry ?? TransferOptions.Retry()
        var (failureCount, delay) = (0, retry.firstDelay)
        while true {
            let before = writer.offset
            switch await writer.attempt(download.request, in: session) {
            case .complete:
                writer.show(.completed)
                return .success
            case .closed: return .fileUnusable
            case .failed(let reason, let isTemporary):
                let isProgress = writer.offset - before >= Self.progressByteCount
                if isProgress { (failureCount, delay) = (0, .zero) }
                failureCount += 1
                let isLast =
                    failureCount >= retry.attemptLimit(hasAnswered: writer.hasAnswered)
                    || context.instant() - start > timeLimit
                guard isTemporary, !isLast, !Task.isCancelled else {
                    if !Task.isCancelled { writer.show(.failed(reason)) }
                    return ExitCode(reason)
                }
                writer.showWait(for: .init(reason: "backoff", text: "retry: \(reason.message)"))
                try? await Task.sleep(for: delay)
                delay = max(retry.firstDelay, min(delay * retry.factor, retry.maximumDelay))
            }
        }
    }
}

extension TransferOptions.Retry {
    /// Returns how many attempts in a row may fail.
    fileprivate func attemptLimit(hasAnswered: Bool) -> Int {
        maximumAttempts ?? (hasAnswered ? .max : maximumUnansweredAttempts ?? .max)
    }
}

/// Standard output, a pipe or a device that a stream is written to.
final class StreamOutput: Sendable {
    private let descriptor: Int32
    private let isOwned: Bool

    /// Opens an output; waits until somebody reads a pipe.
    ///
    /// - Parameter path: The path; a dash for standard output.
    /// - Throws: The error of a pipe or device that cannot be opened.
    init(path: String) throws(SystemCallError) {
        isOwned = path != "-"
        descriptor =
            isOwned
            ? try systemCall("open", path) { open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC) }
            : STDOUT_FILENO
    }

    /// Whether a path means standard output, a pipe or a device, rather than a file.
    static func isMeant(by path: String) -> Bool {
        var status = stat()
        return path == "-"
            || stat(path, &status) == 0 && [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT)
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// Writes bytes; waits until there is room for them.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The number of the error that kept them from being written; nil if they were.
    func write(_ bytes: Data) -> Int32? {
        bytes.withUnsafeBytes { Console.write($0, to: descriptor) }
    }
}
