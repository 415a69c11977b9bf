public import Foundation
public import FoundationNetworking
import Synchronization

extension URLSession {
    /// Loads the contents of a request's URL, byte by byte.
    ///
    /// Returns when the response has arrived. Without iteration, about 1 MiB is read ahead, and then the server has to
    /// wait. Dropping the sequence, or cancelling the task that iterates, cancels the session's task.
    ///
    /// ```swift
    /// let (bytes, response) = try await session.bytes(for: request)
    /// for try await line in bytes.lines { print(line) }
    /// ```
    ///
    /// - Parameters:
    ///   - request: A request for `http`, `https`, `file` or `data`.
    ///   - delegate: A delegate for this task alone. It gets no messages about the response and the body.
    /// - Returns: The bytes, which can be iterated over once, and the response.
    /// - Throws: `URLError`; `URLError.Code.cancelled` when the surrounding task is cancelled. Errors after the
    ///   response are thrown by the iteration.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func bytes(
        for request: URLRequest,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
        let cancellation = TaskCancellation()
        let reader = WeakDataTask()
        let stream = ByteStream(
            from: request.url,
            whenTaken: { reader.task?.recordTaken($0) },
            whenAbandoned: { reader.task?.cancel() }
        )
        return try await withTaskCancellationHandler {
            let (task, response) = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<(URLSessionDataTask, URLResponse), any Error>) in
                let responded = FirstResponse(continuation)
                let task = core.makeDataTask(
                    request,
                    of: self,
                    for: .bytes(stream) { responded.resume($0) },
                    delegate: delegate
                )
                reader.task = task
                cancellation.watch(task)
                task.resume()
            }
            return (AsyncBytes(stream: stream, task: task), response)
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Loads the contents of a URL, byte by byte.
    ///
    /// See ``bytes(for:delegate:)``.
    ///
    /// - Parameters:
    ///   - url: A URL.
    ///   - delegate: A delegate for this task alone.
    /// - Returns: The bytes, which can be iterated over once, and the response.
    /// - Throws: `URLError`; `URLError.Code.cancelled` when the surrounding task is cancelled.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func bytes(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(for: URLRequest(url: url), delegate: delegate)
    }
}

/// A weak reference to the task of a byte sequence, which keeps the sequence's stream.
private final class WeakDataTask: Sendable {
    private struct Reference: Sendable {
        weak var task: URLSessionDataTask?
    }

    private let reference = Mutex(Reference())

    var task: URLSessionDataTask? {
        get { reference.withLock { $0.task } }
        set { reference.withLock { $0.task = newValue } }
    }
}

/// A caller that waits for a response or an error, whichever comes first.
private final class FirstResponse: Sendable {
    typealias Answer = (URLSessionDataTask, URLResponse)

    private let continuation: Mutex<CheckedContinuation<Answer, any Error>?>

    init(_ continuation: CheckedContinuation<Answer, any Error>) {
        self.continuation = Mutex(continuation)
    }

    func resume(_ result: Result<Answer, any Error>) {
        let continuation = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        continuation?.resume(with: result)
    }
}
