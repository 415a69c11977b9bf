public import Foundation
public import FoundationNetworking

extension URLSession {
    /// Downloads the contents of a request's URL to a file.
    ///
    /// Cancelling the surrounding task cancels the download.
    ///
    /// - Parameters:
    ///   - request: An HTTP or HTTPS request.
    ///   - delegate: A delegate for this task alone. It receives `didCreateTask`, which provides the task, and no
    ///     messages about the body.
    /// - Returns: The file, which is not deleted for you, and the response.
    /// - Throws: `URLError`; `URLError.Code.cancelled` when the surrounding task is cancelled.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func download(
        for request: URLRequest,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await download(from: .request(request), delegate: delegate)
    }

    /// Downloads the contents of a URL to a file.
    ///
    /// Cancelling the surrounding task cancels the download.
    ///
    /// - Parameters:
    ///   - url: An HTTP or HTTPS URL.
    ///   - delegate: A delegate for this task alone; see ``download(for:delegate:)``.
    /// - Returns: The file, which is not deleted for you, and the response.
    /// - Throws: `URLError`; `URLError.Code.cancelled` when the surrounding task is cancelled.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func download(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await download(from: .request(URLRequest(url: url)), delegate: delegate)
    }

    /// Resumes a download.
    ///
    /// Cancelling the surrounding task cancels the download.
    ///
    /// - Parameters:
    ///   - resumeData: The resume data of an earlier task.
    ///   - delegate: A delegate for this task alone; see ``download(for:delegate:)``.
    /// - Returns: The file, which is not deleted for you, and the response.
    /// - Throws: `URLError`; `URLError.Code.cancelled` when the surrounding task is cancelled.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func download(
        resumeFrom resumeData: Data,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await download(from: .resumeData(resumeData), delegate: delegate)
    }

    private func download(
        from source: DownloadSource,
        delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (URL, URLResponse) {
        let cancellation = TaskCancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = core.makeDownloadTask(
                    from: source,
                    of: self,
                    for: .handler(
                        { location, response, error in
                            if let location, let response {
                                continuation.resume(returning: (location, response))
                            } else {
                                continuation.resume(throwing: error ?? URLError(.unknown))
                            }
                        },
                        keepsFile: true
                    ),
                    delegate: delegate
                )
                cancellation.watch(task)
                task.resume()
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
