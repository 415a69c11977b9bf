import Ferry
import FerryTestSupport
import Foundation
import Synchronization
import Testing

/// A session's delegate that notes every call, and lets tests wait for one.
final class SessionRecorder: NSObject, URLSessionDownloadDelegate {
    /// What a delegate was told.
    enum Call: Hashable, Sendable {
        case created(Int)
        case resumed(Int, offset: Int64, expected: Int64)
        case wrote(Int, new: Int64, total: Int64, expected: Int64)
        case finished(Int, contents: Data?)
        case completed(Int, URLError.Code?)
        case invalid
        case finishedEvents

        var name: String {
            switch self {
            case .created: "created"
            case .resumed: "resumed"
            case .wrote: "wrote"
            case .finished: "finished"
            case .completed: "completed"
            case .invalid: "invalid"
            case .finishedEvents: "finishedEvents"
            }
        }
    }

    private struct State {
        var calls: [Call] = []
        var errors: [Int: URLError] = [:]
        var locations: [URL] = []
        var waiting: [(condition: @Sendable ([Call]) -> Bool, CheckedContinuation<Void, Never>)] =
            []
    }

    private let state = Mutex(State())
    /// Called in every method, on the delegate queue.
    let willReturn: @Sendable (Call) -> Void

    init(willReturn: @escaping @Sendable (Call) -> Void = { _ in }) {
        self.willReturn = willReturn
    }

    var calls: [Call] { state.withLock { $0.calls } }

    /// The names of the calls, with runs of progress as one.
    var story: [String] {
        calls.map(\.name).reduce(into: []) { names, name in
            if name != "wrote" || names.last != "wrote" { names.append(name) }
        }
    }

    var locations: [URL] { state.withLock { $0.locations } }

    func error(ofTask identifier: Int) -> URLError? {
        state.withLock { $0.errors[identifier] }
    }

    /// Returns when a condition holds of the calls.
    func wait(until condition: @escaping @Sendable ([Call]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if condition(state.calls) { return true }
                state.waiting.append((condition, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Returns when as many tasks have completed.
    func waitForCompletions(_ count: Int = 1) async {
        await wait { $0.count { $0.name == "completed" } >= count }
    }

    private func note(_ call: Call) {
        willReturn(call)
        let ready = state.withLock { state in
            state.calls.append(call)
            let ready = state.waiting.filter { $0.condition(state.calls) }
            state.waiting.removeAll { $0.condition(state.calls) }
            return ready
        }
        for (_, continuation) in ready { continuation.resume() }
    }

    // MARK: - Delegate

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        note(.created(task.taskIdentifier))
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        note(
            .resumed(
                downloadTask.taskIdentifier,
                offset: fileOffset,
                expected: expectedTotalBytes
            )
        )
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        note(
            .wrote(
                downloadTask.taskIdentifier,
                new: bytesWritten,
                total: totalBytesWritten,
                expected: totalBytesExpectedToWrite
            )
        )
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        state.withLock { $0.locations.append(location) }
        note(
            .finished(downloadTask.taskIdentifier, contents: try? Data(contentsOf: location))
        )
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        let urlError = error as? URLError
        state.withLock { $0.errors[task.taskIdentifier] = urlError }
        note(.completed(task.taskIdentifier, urlError?.code))
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        note(.invalid)
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        note(.finishedEvents)
    }
}
