public import Foundation

/// A task that sends a body.
///
/// ```swift
/// var request = URLRequest(url: url)
/// request.httpMethod = "PUT"
/// let (answer, response) = try await session.upload(for: request, fromFile: file)
/// ```
///
/// The response is handed over like that of a data task. Where the server can do that, an upload goes on where it
/// was cut off; see <doc:Resumable-uploads>.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {
    /// Ends the upload such that it can be continued later, where the server can do that.
    ///
    /// The task completes with `URLError.Code.cancelled` as after ``URLSessionTask/cancel()``, and the error holds
    /// the same resume data. Make a task from it by ``URLSession/uploadTask(withResumeData:)``, in any session, also
    /// after the app was started again. It can be used once.
    ///
    /// - Parameter completionHandler: Called once, on the delegate queue, with the resume data; with nil when the
    ///   upload cannot be continued, as the server has not said that it can.
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        cancel(handingResumeDataTo: completionHandler)
    }

    /// Ends the upload such that it can be continued later, and waits for the resume data.
    ///
    /// See ``cancel(byProducingResumeData:)``.
    ///
    /// - Returns: The resume data; nil when the upload cannot be continued.
    open func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel(byProducingResumeData: { continuation.resume(returning: $0) })
        }
    }
}
