public import Foundation
public import FoundationNetworking

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
