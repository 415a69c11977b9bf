public import Foundation
public import FoundationNetworking
import Synchronization

extension URLSession {
    /// Loads the contents of a request's URL.
    ///
    /// Cancelling the surrounding task cancels the session's task.
    ///
    /// - Parameters:
    ///   - request: A request for `http`, `https`, `file` or `data`.
    ///   - delegate: A delegate for this task alone. It gets no messages about the response and the body.
    /// - Returns: The body and the response, whatever its status.
    /// - Throws: `URLError`; `URLError.Code.cancelled` when the surrounding task is cancelled.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func data(
        for request: URLRequest,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await answer { recipient in
            core.makeDataTask(request, of: self, for: recipient, delegate: delegate)
        }
    }

    /// Loads the contents of a URL.
    ///
    /// See ``data(for:delegate:)``.
    ///
    /// - Parameters:
    ///   - url: A URL.
    ///   - delegate: A delegate for this task alone.
    /// - Returns: The body and the response, whatever its status.
    /// - Throws: `URLError`; `URLError.Code.cancelled` when the surrounding task is cancelled.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func data(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await data(for: URLRequest(url: url), delegate: delegate)
    }

    /// Sends a file.
    ///
    /// Cancelling the surrounding task cancels the session's task.
    ///
    /// - Parameters:
    ///   - request: An HTTP or HTTPS request, whose own body is ignored.
    ///   - fileURL: The file.
    ///   - delegate: A delegate for this task alone.
    /// - Returns: The response's body and the response, whatever its status.
    /// - Throws: `URLError`; `URLError.Code.cancelled` when the surrounding task is cancelled.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func upload(
        for request: URLRequest,
        fromFile fileURL: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await upload(request, .file(fileURL), delegate)
    }

    /// Sends bytes.
    ///
    /// Cancelling the surrounding task cancels the session's task.
    ///
    /// - Parameters:
    ///   - request: An HTTP or HTTPS request, whose own body is ignored.
    ///   - bodyData: The bytes.
    ///   - delegate: A delegate for this task alone.
    /// - Returns: The response's body and the response, whatever its status.
    /// - Throws: `URLError`; `URLError.Code.cancelled` when the surrounding task is cancelled.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func upload(
        for request: URLRequest,
        from bodyData: Data,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await upload(request, .data(bodyData), delegate)
    }

    private func upload(
        _ request: URLRequest,
        _ body: DataBody,
        _ delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        try await answer { recipient in
            core.makeUploadTask(
                request,
                sending: body,
                of: self,
                for: recipient,
                delegate: delegate
            )
        }
    }

    /// Runs a task and waits for its end.
    private func answer(
        _ makeTask: (URLSessionDataTask.Recipient) -> URLSessionDataTask
    ) async throws -> (Data, URLResponse) {
        let cancellation = TaskCancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = makeTask(
                    .handler { data, response, error in
                        if let data, let response {
                            continuation.resume(returning: (data, response))
                        } else {
                            continuation.resume(throwing: error ?? URLError(.unknown))
                        }
                    }
                )
                cancellation.watch(task)
                task.resume()
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}

// An app's protocol that URLSession is to satisfy may require these methods without the delegate. A method with a
// default argument does not satisfy such a requirement.
extension URLSession {
    /// Loads the contents of a request's URL.
    ///
    /// See ``data(for:delegate:)``.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await data(for: request, delegate: nil)
    }

    /// Loads the contents of a URL.
    ///
    /// See ``data(from:delegate:)``.
    public func data(from url: URL) async throws -> (Data, URLResponse) {
        try await data(from: url, delegate: nil)
    }

    /// Sends a file.
    ///
    /// See ``upload(for:fromFile:delegate:)``.
    public func upload(
        for request: URLRequest,
        fromFile fileURL: URL
    ) async throws -> (Data, URLResponse) {
        try await upload(for: request, fromFile: fileURL, delegate: nil)
    }

    /// Sends bytes.
    ///
    /// See ``upload(for:from:delegate:)``.
    public func upload(
        for request: URLRequest,
        from bodyData: Data
    ) async throws -> (Data, URLResponse) {
        try await upload(for: request, from: bodyData, delegate: nil)
    }

    /// Downloads the contents of a request's URL to a file.
    ///
    /// See ``download(for:delegate:)``.
    public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
        try await download(for: request, delegate: nil)
    }

    /// Downloads the contents of a URL to a file.
    ///
    /// See ``download(from:delegate:)``.
    public func download(from url: URL) async throws -> (URL, URLResponse) {
        try await download(from: url, delegate: nil)
    }

    /// Resumes a download.
    ///
    /// See ``download(resumeFrom:delegate:)``.
    public func download(resumeFrom resumeData: Data) async throws -> (URL, URLResponse) {
        try await download(resumeFrom: resumeData, delegate: nil)
    }

    /// Loads the contents of a request's URL, byte by byte.
    ///
    /// See ``bytes(for:delegate:)``.
    public func bytes(for request: URLRequest) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(for: request, delegate: nil)
    }

    /// Loads the contents of a URL, byte by byte.
    ///
    /// See ``bytes(from:delegate:)``.
    public func bytes(from url: URL) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(from: url, delegate: nil)
    }
}

/// Passes the cancellation of a Swift task on to the session's task it waits for, whichever comes first.
final class TaskCancellation: Sendable {
    private struct State {
        var task: URLSessionTask?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func watch(_ task: URLSessionTask) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
