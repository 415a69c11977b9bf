import FerryTransfer
import Foundation
public import FoundationNetworking
import Synchronization

extension URLSessionTask {
    /// The request the task was made with; nil when it was made from resume data that cannot be read.
    public var originalRequest: URLRequest? { storage.withLock { $0.originalRequest } }

    /// The request after redirects.
    public var currentRequest: URLRequest? { storage.withLock { $0.currentRequest } }

    /// The latest response; nil before the first one.
    ///
    /// For HTTP an `HTTPURLResponse`.
    public var response: URLResponse? { storage.withLock { $0.response.get() } }

    /// The error with which the task has failed; nil while the task runs and on success.
    public var error: (any Error)? { storage.withLock { $0.error } }

    /// The state of the task, by the last call.
    ///
    /// A task that was suspended twice and resumed once is shown as running, as on Apple's systems.
    public var state: State { storage.withLock { $0.lifecycle.state } }

    /// The number of bytes of the body received so far; for a resumed download including the earlier ones.
    public var countOfBytesReceived: Int64 { storage.withLock { $0.counts.received } }

    /// The length of the body, or `NSURLSessionTransferSizeUnknown`.
    public var countOfBytesExpectedToReceive: Int64 { storage.withLock { $0.counts.expected } }

    /// The number of bytes of the request's body that were sent.
    public var countOfBytesSent: Int64 { storage.withLock { $0.sentCounts.sent } }

    /// The length of the request's body, or `NSURLSessionTransferSizeUnknown`; 0 without a body.
    ///
    /// For an upload that has not begun, it is read from the file.
    public var countOfBytesExpectedToSend: Int64 {
        storage.withLock { $0.sentCounts }.currentlyExpected
    }
}

// MARK: - Progress

extension URLSessionTask {
    /// The number of bytes sent and received, and the total expected of both.
    private struct Work {
        var done: Int64
        var total: Int64

        init(_ storage: borrowing Storage) {
            var counts = storage.counts
            let sent = storage.sentCounts
            if counts.expected < 0, let coded = storage.coded {
                counts.received = coded.receivedByteCount
                counts.expected = coded.totalByteCount
            }
            done = counts.received + sent.sent
            let isKnown = counts.expected >= 0 && sent.expected >= 0
            total = isKnown ? counts.expected + sent.expected : NSURLSessionTransferSizeUnknown
        }

        /// Finishes a progress object, whose count must reach a total that is not 0.
        func finish(_ progress: Progress) {
            progress.totalUnitCount = max(done, 1)
            progress.completedUnitCount = max(done, 1)
        }
    }

    func makeProgress(_ storage: borrowing Storage) -> Progress {
        let work = Work(storage)
        let progress = Progress.discreteProgress(totalUnitCount: work.total)
        progress.completedUnitCount = work.done
        if storage.isWorkDone { work.finish(progress) }
        progress.kind = .file
        progress.setUserInfoObject(
            Progress.FileOperationKind.downloading,
            forKey: .fileOperationKindKey
        )
        progress.cancellationHandler = { [weak self] in self?.cancel() }
        progress.pausingHandler = { [weak self] in self?.suspend() }
        progress.resumingHandler = { [weak self] in self?.resume() }
        return progress
    }

    /// Records the progress of the body; on the event loop.
    func recordCounts(_ counts: ByteCounts, coded: CodedProgress? = nil) {
        storage.withLock { storage in
            storage.counts = counts
            storage.coded = coded
        }
        updateProgress()
    }

    /// Updates the progress object; on the event loop.
    func updateProgress() {
        let (progress, work) = storage.withLock { ($0.progress, Work($0)) }
        guard let progress else { return }
        if progress.totalUnitCount != work.total { progress.totalUnitCount = work.total }
        progress.completedUnitCount = work.done
    }

    /// Finishes the progress object, also one that is made later; on the event loop.
    func finishProgress() {
        let (progress, work) = storage.withLock { storage in
            storage.isWorkDone = true
            return (storage.progress, Work(storage))
        }
        if let progress { work.finish(progress) }
    }
}
