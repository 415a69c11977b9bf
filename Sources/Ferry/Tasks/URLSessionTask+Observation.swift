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

    /// What went wrong; nil while the task runs and when all went well.
    public var error: (any Error)? { storage.withLock { $0.error } }

    /// What the task is doing, by the last wish.
    ///
    /// A task that was suspended twice and resumed once is shown as running, as on Apple's systems.
    public var state: State { storage.withLock { $0.lifecycle.state } }

    /// How many bytes of the body are there; for a resumed download with those from before.
    public var countOfBytesReceived: Int64 { storage.withLock { $0.counts.received } }

    /// The length of the body, or `NSURLSessionTransferSizeUnknown`.
    public var countOfBytesExpectedToReceive: Int64 { storage.withLock { $0.counts.expected } }

    /// How many bytes of the request's body were sent.
    public var countOfBytesSent: Int64 {
        storage.withLock { $0.response.isThere ? Self.bodyByteCount(of: $0.currentRequest) : 0 }
    }

    /// The length of the request's body.
    public var countOfBytesExpectedToSend: Int64 {
        storage.withLock { Self.bodyByteCount(of: $0.originalRequest) }
    }

    private static func bodyByteCount(of request: URLRequest?) -> Int64 {
        Int64(request?.httpBody?.count ?? 0)
    }
}

// MARK: - Progress

extension URLSessionTask {
    func makeProgress(_ counts: ByteCounts) -> Progress {
        let progress = Progress.discreteProgress(totalUnitCount: counts.expected)
        progress.completedUnitCount = counts.received
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

    /// Takes note of how far the body has come; on the event loop.
    func noteCounts(_ counts: ByteCounts) {
        let progress = storage.withLock { storage in
            storage.counts = counts
            return storage.progress
        }
        guard let progress else { return }
        if progress.totalUnitCount != counts.expected {
            progress.totalUnitCount = counts.expected
        }
        progress.completedUnitCount = counts.received
    }

    /// Makes the progress a finished one; on the event loop.
    ///
    /// Progress is finished when its count reaches its total, which must not be 0.
    func finishProgress() {
        let (progress, received) = storage.withLock { ($0.progress, $0.counts.received) }
        guard let progress else { return }
        progress.totalUnitCount = max(received, 1)
        progress.completedUnitCount = max(received, 1)
    }
}
