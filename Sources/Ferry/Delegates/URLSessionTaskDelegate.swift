public import Foundation
public import FoundationNetworking

/// Methods that a session calls on its delegates for tasks of any kind.
///
/// Methods that a task's own ``URLSessionTask/delegate`` does not implement are called on the session's delegate
/// instead. All methods except `didCreateTask` are called on ``URLSession/delegateQueue``. If a method has two forms,
/// with a completion handler and `async`, implement one.
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    /// Tells the delegate that a task was created.
    ///
    /// The first call for a task, made inside the method that creates it: on the same thread and not on the delegate
    /// queue.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The new task.
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

    /// Asks the delegate how to proceed with a request whose earliest begin date is reached.
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

    /// Asks the delegate how to proceed with a request whose earliest begin date is reached.
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

    /// Asks the delegate for another request because the server's response says that the URL has expired.
    ///
    /// Ferry's own method, called for downloads of sessions with ``URLSessionConfiguration/replacesExpiredLinks``. The
    /// default answers with nil. After five requests in a row that brought no new bytes it is not called again, and the
    /// server's response is the download's result.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - response: The response, with the status 401, 403 or 410.
    ///   - completionHandler: To be called, on any thread, with a request for the same resource, or with nil to make
    ///     the response the download's result.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needsNewRequestAfter response: HTTPURLResponse,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    )

    /// Tells the delegate that a task waits for the network.
    ///
    /// Called at most once per task, in sessions with ``URLSessionConfiguration/waitsForConnectivity`` that are not
    /// background sessions.
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
    ///   - response: The redirect response.
    ///   - request: The request to be sent next.
    ///   - completionHandler: To be called, on any thread, with that request, another one, or nil to make the redirect
    ///     response the result.
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
    ///   - response: The redirect response.
    ///   - request: The request to be sent next.
    /// - Returns: The request to send, or nil to make the redirect response the result.
    @concurrent func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest?

    /// Asks the delegate for a name and password; or, if the session's delegate does not handle those challenges,
    /// whether to trust a server.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - challenge: The challenge.
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
    ///   - challenge: The challenge.
    /// - Returns: The answer.
    @concurrent func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Asks the delegate for the body of a request, when it is first sent and when it must be sent again.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - completionHandler: To be called, on any thread, with a new, unopened stream; with nil the task fails with
    ///     `URLError.Code.requestBodyStreamExhausted`.
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
    /// - Returns: A new, unopened stream.
    @concurrent func urlSession(
        _ session: URLSession,
        needNewBodyStreamForTask task: URLSessionTask
    ) async -> InputStream?

    /// Asks the delegate for the rest of the body of an upload that is resumed.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - offset: The number of bytes of the body that the server has.
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
    ///   - offset: The number of bytes of the body that the server has.
    /// - Returns: A stream whose first byte is the one at the offset.
    @concurrent func urlSession(
        _ session: URLSession,
        needNewBodyStreamForTask task: URLSessionTask,
        from offset: Int64
    ) async -> InputStream?

    /// Tells the delegate how much of a request's body was sent.
    ///
    /// Like a download's progress, it accumulates while the delegate is busy.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - bytesSent: The number of bytes since the last call.
    ///   - totalBytesSent: The number of bytes in all; it restarts when the body is sent again.
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

    /// Tells the delegate that the metrics of a task were collected.
    ///
    /// Called once per task, before `didCompleteWithError`, also for tasks with a completion handler.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - metrics: The metrics, with one transaction per request.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    )

    /// Tells the delegate that a task has ended.
    ///
    /// The last call for a task. Not made for tasks with a completion handler.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - error: nil on success, otherwise a `URLError`. A response with a status such as 404 is not an error; look at
    ///     ``URLSessionTask/response``.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    )
}
