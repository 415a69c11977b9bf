import Ferry
import Foundation
@preconcurrency import Glibc
import Synchronization

/// Writes the bytes of a stream's responses, and shows how far it is.
final class StreamWriter: NSObject, URLSessionDataDelegate {
    /// What came of an attempt.
    enum Result: Sendable {
        /// All bytes were written.
        case complete
        /// The reader has closed the pipe.
        case closed
        /// It failed; a temporary failure is tried again.
        case failed(Outcome.Reason, isTemporary: Bool)
    }

    private struct State {
        var position = StreamPosition()
        var hasAnswered = false
        var row: TransferRow
        var display: TransferDisplay
        var shown: Duration?
        /// What this side has found out about the present attempt, and why it was cancelled.
        var finding: Result?
        var attempt: CheckedContinuation<Result, Never>?
    }

    private static let interval = Duration.milliseconds(100)
    private static let temporaryErrors: Set<URLError.Code> = [
        .timedOut, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .networkConnectionLost,
        .notConnectedToInternet, .secureConnectionFailed, .badServerResponse,
    ]

    private let output: StreamOutput
    private let retriedStatuses: Set<Int>
    private let takeMetrics: (@Sendable (URLSessionTaskMetrics) -> Void)?
    private let context: Context
    private let state: Mutex<State>

    /// A writer.
    ///
    /// - Parameters:
    ///   - output: Where the bytes go.
    ///   - row: What is shown.
    ///   - display: Shows it.
    ///   - retriedStatuses: The statuses that are temporary failures.
    ///   - takeMetrics: Called with the metrics of each attempt; nil if nobody wants them.
    ///   - context: The world outside.
    init(
        to output: StreamOutput,
        _ row: TransferRow,
        _ display: TransferDisplay,
        retriedStatuses: Set<Int>,
        takeMetrics: (@Sendable (URLSessionTaskMetrics) -> Void)?,
        in context: Context
    ) {
        self.output = output
        self.retriedStatuses = retriedStatuses
        self.takeMetrics = takeMetrics
        self.context = context
        state = Mutex(State(row: row, display: display))
    }

    /// The number of bytes that were written.
    var offset: Int64 { state.withLock { $0.position.offset } }
    /// Whether the server has sent any response.
    var hasAnswered: Bool { state.withLock { $0.hasAnswered } }

    /// Requests what is missing, and writes what comes of it.
    ///
    /// - Parameters:
    ///   - whole: The request for all bytes.
    ///   - session: A session with this delegate.
    /// - Returns: What came of it.
    func attempt(_ whole: URLRequest, in session: URLSession) async -> Result {
        let task = session.dataTask(with: state.withLock { $0.position.request(whole) })
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    state.finding = nil
                    state.attempt = continuation
                }
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }

    /// Shows that the stream waits for its next attempt.
    func showWait(for hold: TransferRow.Hold) {
        state.withLock { state in
            state.row.waits(for: hold, hasBegun: state.position.offset > 0)
            show(&state, isNews: true)
        }
    }

    /// Shows the outcome.
    func show(_ outcome: Outcome) {
        state.withLock { state in
            state.row.ends(outcome, at: context.instant())
            show(&state, isNews: true)
            try? state.display.notify(state.row)
        }
    }

    private func show(_ state: inout State, isNews: Bool) {
        let instant = context.instant()
        if !isNews, let shown = state.shown, instant - shown < Self.interval { return }
        state.shown = instant
        try? state.display.show([state.row], at: instant)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let isWanted = state.withLock { state in
            state.hasAnswered = true
            guard let response = response as? HTTPURLResponse else { return false }
            do throws(StreamPosition.Fault) {
                try state.position.begin(response)
                if state.position.isComplete { state.finding = .complete }
            } catch {
                state.finding = result(of: error, at: state.position.offset)
            }
            state.row.runs(at: context.instant())
            return state.finding == nil
        }
        completionHandler(isWanted ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let new = state.withLock { state in
            do throws(StreamPosition.Fault) {
                return state.finding == nil ? try state.position.take(data) : Data()
            } catch {
                state.finding = result(of: error, at: state.position.offset)
                return Data()
            }
        }
        // This waits until the bytes are read; meanwhile the session receives no more.
        let failure = new.isEmpty ? nil : output.write(new)
        let isOver = state.withLock { state in
            if let failure {
                state.finding = failure == EPIPE ? .closed : Self.result(of: failure)
            } else {
                state.position.wrote(new)
                let (received, total) = (state.position.offset, state.position.total)
                state.row.progress(received: received, expected: total, at: context.instant())
                show(&state, isNews: false)
            }
            return state.finding != nil
        }
        if isOver { dataTask.cancel() }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        let (attempt, result) = state.withLock { state in
            defer { state.attempt = nil }
            if error == nil { state.position.end() }
            return (state.attempt, state.finding ?? self.result(of: error, state.position))
        }
        attempt?.resume(returning: result)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        takeMetrics?(metrics)
    }

    private func result(of error: (any Error)?, _ position: StreamPosition) -> Result {
        if let error {
            let code = (error as? URLError)?.code
            let isTemporary = code.map(Self.temporaryErrors.contains) ?? false
            return .failed(Outcome.Reason(error), isTemporary: isTemporary)
        }
        guard !position.isComplete else { return .complete }
        let message = "the connection ended before all bytes had come"
        return .failed(Outcome.Reason(code: "-1005", message: message), isTemporary: true)
    }

    private func result(of fault: StreamPosition.Fault, at offset: Int64) -> Result {
        switch fault {
        case .status(let status):
            let reason =
                Outcome.Reason(status: status)
                ?? Outcome.Reason(code: "httpStatus", message: "the server answered \(status)")
            return .failed(reason, isTemporary: retriedStatuses.contains(status))
        case .changed:
            let message = "the server's file was changed after \(offset) bytes of it were written"
            return .failed(Outcome.Reason(code: "changed", message: message), isTemporary: false)
        case .otherBytes:
            let message = "the server sent other bytes than those from \(offset) on"
            return .failed(Outcome.Reason(code: "range", message: message), isTemporary: false)
        }
    }

    private static func result(of number: Int32) -> Result {
        let message = "cannot write: \(String(cString: strerror(number)))"
        return .failed(Outcome.Reason(code: "write", message: message), isTemporary: false)
    }
}
