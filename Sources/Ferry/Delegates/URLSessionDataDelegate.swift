public import Foundation
public import FoundationNetworking

/// What a data or upload task tells and asks.
///
/// The order for one task is: `didReceive` response, `didReceive` data as it arrives, `willCacheResponse`, and
/// `didCompleteWithError` at last.
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    /// Asks the delegate what to do about a response, of which only the head has come.
    ///
    /// Nothing else is told until the answer is there. Not called for uploads in background sessions.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - response: The response; for HTTP an `HTTPURLResponse`.
    ///   - completionHandler: To be called with the answer, on any thread.
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    )

    /// Asks the delegate what to do about a response, of which only the head has come.
    ///
    /// The other form of the method with a completion handler: implement one of them.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - response: The response; for HTTP an `HTTPURLResponse`.
    /// - Returns: The answer.
    @concurrent func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition

    /// Tells the delegate that a data task has become a download task.
    ///
    /// The answer to ``URLSession/ResponseDisposition/becomeDownload``. Nothing follows for the data task; the
    /// download task has its number and runs.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task that it was.
    ///   - downloadTask: The task that it is.
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    )

    /// Hands over a part of the body.
    ///
    /// While the delegate is busy, parts gather, and are handed over as one; the server has to wait when about
    /// 1 MiB has gathered.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - data: What has come since the last call.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)

    /// Asks the delegate what is to be stored in the cache.
    ///
    /// Called when all data has come, if the response may be stored; see RFC 9111.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - proposedResponse: What would be stored.
    ///   - completionHandler: To be called, on any thread, with that, something else, or nil to store nothing.
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    )

    /// Asks the delegate what is to be stored in the cache.
    ///
    /// The other form of the method with a completion handler: implement one of them.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - proposedResponse: What would be stored.
    /// - Returns: That, something else, or nil to store nothing.
    @concurrent func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse?
}
