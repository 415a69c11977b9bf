public import Foundation

/// A task that sends a body.
///
/// ```swift
/// var request = URLRequest(url: url)
/// request.httpMethod = "PUT"
/// let (answer, response) = try await session.upload(for: request, fromFile: file)
/// ```
///
/// The response is handed over like that of a data task.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {
    /// Ends the upload such that it can be continued later, where the server can do that.
    ///
    /// - Important: On Linux uploads cannot be continued: there is never resume data.
    ///
    /// - Parameter completionHandler: Called once, on the delegate queue, with nil.
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        cancel()
        core.delegateQueue.addOperation { completionHandler(nil) }
    }

    /// Ends the upload such that it can be continued later, where the server can do that.
    ///
    /// See ``cancel(byProducingResumeData:)``.
    ///
    /// - Returns: nil.
    open func cancelByProducingResumeData() async -> Data? {
        cancel()
        return nil
    }
}
