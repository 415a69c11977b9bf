import Ferry
import FerryTestSupport
import Foundation
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

    private struct State: Sendable {
        var calls: [Call] = []
        var errors: [Int: URLError] = [:]
        var locations: [URL] = []
    }

    private let state = Awaited(State())
    /// Called in every method, on the delegate queue.
    let willReturn: @Sendable (Call) -> Void

    init(willReturn: @escaping @Sendable (Call) -> Void = { _ in }) {
        self.willReturn = willReturn
    }

    var calls: [Call] { state.value.calls }

    /// The names of the calls, with runs of progress as one.
    var story: [String] {
        calls.map(\.name).reduce(into: []) { names, name in
            if name != "wrote" || names.last != "wrote" { names.append(name) }
        }
    }

    var locations: [URL] { state.value.locations }

    func error(ofTask identifier: Int) -> URLError? { state.value.errors[identifier] }

    /// Returns when a condition holds of the calls.
    func wait(
        sourceLocation: SourceLocation = #_sourceLocation,
        until condition: @escaping @Sendable ([Call]) -> Bool
    ) async {
        await state.wait(until: { condition($0.calls) }, sourceLocation: sourceLocation)
    }

    /// Returns when as many tasks have completed.
    func waitForCompletions(
        _ count: Int = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await wait(sourceLocation: sourceLocation) { calls in
            calls.count { $0.name == "completed" } >= count
        }
    }

    private func record(_ call: Call) {
        willReturn(call)
        state.change { $0.calls.append(call) }
    }

    // MARK: - Delegate

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        record(.created(task.taskIdentifier))
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        record(
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
        record(
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
        state.change { $0.locations.append(location) }
        record(
            .finished(downloadTask.taskIdentifier, contents: try? Data(contentsOf: location))
        )
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        let urlError = error as? URLError
        let identifier = task.taskIdentifier
        state.change { $0.errors[identifier] = urlError }
        record(.completed(task.taskIdentifier, urlError?.code))
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        record(.invalid)
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        record(.finishedEvents)
    }
}
