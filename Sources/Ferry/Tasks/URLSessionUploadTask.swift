public import Foundation

/// A task that sends a body.
///
/// ```swift
/// var request = URLRequest(url: url)
/// request.httpMethod = "PUT"
/// let (answer, response) = try await session.upload(for: request, fromFile: file)
/// ```
///
/// The response is delivered like that of a data task. If the server supports it, an interrupted upload is resumed; see
/// <doc:Resumable-uploads>.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {
    /// Cancels the upload so that it can be resumed later, if the server supports that.
    ///
    /// The task completes with `URLError.Code.cancelled` as after ``URLSessionTask/cancel()``, and the error holds the
    /// same resume data. Make a task from it with ``URLSession/uploadTask(withResumeData:)``, in any session, also
    /// after the app was restarted. It can be used once.
    ///
    /// - Parameter completionHandler: Called once, on the delegate queue, with the resume data; with nil if the upload
    ///   cannot be resumed, because the server has not said that it can.
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        cancel(handingResumeDataTo: completionHandler)
    }

    /// Cancels the upload so that it can be resumed later, and waits for the resume data.
    ///
    /// See ``cancel(byProducingResumeData:)``.
    ///
    /// Cancelling the surrounding Swift task has no effect: the resume data would be lost.
    ///
    /// - Returns: The resume data; nil if the upload cannot be resumed.
    open func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel(byProducingResumeData: { continuation.resume(returning: $0) })
        }
    }
}
