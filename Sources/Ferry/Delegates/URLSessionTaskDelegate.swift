public import Foundation
public import FoundationNetworking

/// What a task tells and asks, whatever its kind.
///
/// Methods that a task's own ``URLSessionTask/delegate`` does not implement are passed on to the
/// session's delegate. Methods are called on ``URLSession/delegateQueue``, but `didCreateTask`. Of a method in
/// two forms, with a completion handler and `async`, implement one.
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    /// Tells the delegate that a task was created.
    ///
    /// The first message of a task. Called inside of the method that creates it, on the same thread and not
    /// on the delegate queue.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The new task.
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

    /// Asks the delegate what to do with a request whose earliest date has come.
    ///
    /// Called in background sessions, for tasks with an ``URLSessionTask/earliestBeginDate``.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - request: Its request.
    ///   - completionHandler: To be called with the answer, on any thread; the request with
    ///     ``URLSession/DelayedRequestDisposition/useNewRequest`` only.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willBeginDelayedRequest request: URLRequest,
        completionHandler:
            @escaping @Sendable (
                URLSession.DelayedRequestDisposition, URLRequest?
            ) -> Void
    )

    /// Asks the delegate what to do with a request whose earliest date has come.
    ///
    /// The other form of the method with a completion handler.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - request: Its request.
    /// - Returns: The answer.
    @concurrent func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?)

    /// Asks the delegate for another request, as the server's response says that the address has expired.
    ///
    /// Ferry's own: called for downloads of sessions with
    /// ``URLSessionConfiguration/replacesExpiredLinks``. The default answers with nil. After five requests in a
    /// row that brought nothing it is not called again, and the server's answer is the download's result.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - response: The answer, with the status 401, 403 or 410.
    ///   - completionHandler: To be called with a request for the same resource, on any thread; with nil, the
    ///     answer is the download's result.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needsNewRequestAfter response: HTTPURLResponse,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    )

    /// Tells the delegate that a task waits for the network.
    ///
    /// Called at most once per task, in sessions with ``URLSessionConfiguration/waitsForConnectivity`` that are
    /// no background sessions.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)

    /// Asks the delegate whether to follow a redirect.
    ///
    /// Not called in background sessions, which follow them all.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - response: The response that redirects.
    ///   - request: The request to be sent next.
    ///   - completionHandler: To be called, on any thread, with that request, another one, or nil: then the
    ///     response that redirects is the answer.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    )

    /// Asks the delegate whether to follow a redirect.
    ///
    /// The other form of the method with a completion handler.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - response: The response that redirects.
    ///   - request: The request to be sent next.
    /// - Returns: The request to send; nil to have the response that redirects as the answer.
    @concurrent func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest?

    /// Asks the delegate for a name and password; or, where the session's delegate does not answer those
    /// challenges, whether a server is trusted.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - challenge: What is asked.
    ///   - completionHandler: To be called with the answer, on any thread.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void
    )

    /// Asks the delegate for a name and password.
    ///
    /// The other form of the method with a completion handler.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - challenge: What is asked.
    /// - Returns: The answer.
    @concurrent func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Asks the delegate for the body of a request, when it is sent first and when it must be sent again.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - completionHandler: To be called, on any thread, with a new stream that was not opened; with nil the
    ///     task fails with `URLError.Code.requestBodyStreamExhausted`.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    )

    /// Asks the delegate for the body of a request.
    ///
    /// The other form of the method with a completion handler.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    /// - Returns: A new stream that was not opened.
    @concurrent func urlSession(
        _ session: URLSession,
        needNewBodyStreamForTask task: URLSessionTask
    ) async -> InputStream?

    /// Asks the delegate for the rest of the body of an upload that is resumed.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - offset: How many bytes of the body the server has.
    ///   - completionHandler: To be called with a stream whose first byte is the one at the offset.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void
    )

    /// Asks the delegate for the rest of the body of an upload that is resumed.
    ///
    /// The other form of the method with a completion handler.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - offset: How many bytes of the body the server has.
    /// - Returns: A stream whose first byte is the one at the offset.
    @concurrent func urlSession(
        _ session: URLSession,
        needNewBodyStreamForTask task: URLSessionTask,
        from offset: Int64
    ) async -> InputStream?

    /// Tells the delegate how much of a request's body was sent.
    ///
    /// Like the progress of a download, it gathers while the delegate is busy.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - bytesSent: The number of bytes since the last call.
    ///   - totalBytesSent: The number of bytes in all; it begins anew when the body is sent again.
    ///   - totalBytesExpectedToSend: The length of the body, or `NSURLSessionTransferSizeUnknown`.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    )

    /// Tells the delegate of an interim response (1xx).
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - response: The interim response.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    )

    /// Tells the delegate what the task's requests have cost.
    ///
    /// Called once per task, before `didCompleteWithError`, also for tasks with a completion handler.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - metrics: The figures, of one transaction per request.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    )

    /// Tells the delegate that a task has ended.
    ///
    /// The last message of a task. Not called for tasks with a completion handler.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - error: nil when all went well, else a `URLError`. A response with a status such as 404 is no
    ///     error; look at ``URLSessionTask/response``.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    )
}
