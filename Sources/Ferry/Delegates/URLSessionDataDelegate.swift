public import Foundation
public import FoundationNetworking

/// Methods that a session calls on its delegates for data and upload tasks.
///
/// The order for one task is: `didReceive` response, `didReceive` data as it arrives, `willCacheResponse`, and finally
/// `didCompleteWithError`.
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    /// Asks the delegate how to proceed when the head of a response has arrived.
    ///
    /// No other method is called for the task until the delegate answers. Not called for uploads in background
    /// sessions.
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

    /// Asks the delegate how to proceed when the head of a response has arrived.
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
    /// Called after the answer ``URLSession/ResponseDisposition/becomeDownload``. No more methods are called for the
    /// data task; the download task has its identifier and runs.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task that became a download task.
    ///   - downloadTask: The new download task.
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    )

    /// Tells the delegate that a part of the body has arrived.
    ///
    /// While the delegate is busy, received parts accumulate and are delivered as one; the server has to wait when
    /// about 1 MiB has accumulated.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - data: The bytes received since the last call.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)

    /// Asks the delegate what to store in the cache.
    ///
    /// Called when all data has arrived, if the response may be stored; see RFC 9111.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - proposedResponse: The response that would be stored.
    ///   - completionHandler: To be called, on any thread, with that response, another one, or nil to store nothing.
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    )

    /// Asks the delegate what to store in the cache.
    ///
    /// The other form of the method with a completion handler: implement one of them.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - proposedResponse: The response that would be stored.
    /// - Returns: That response, another one, or nil to store nothing.
    @concurrent func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse?
}

extension URLSessionDataDelegate {
    /// Does nothing; for a task's own delegate, the session's delegate is called instead.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - downloadTask: The new download task.
    public func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {
        DelegateForms.recordDefault(.becameDownload, of: self)
    }

    /// Does nothing; for a task's own delegate, the session's delegate is called instead.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - data: The bytes received since the last call.
    public func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive data: Data
    ) {
        DelegateForms.recordDefault(.data, of: self)
    }

    /// Calls the other form of the method; if that is not implemented either, the answer is
    /// ``URLSession/ResponseDisposition/allow``.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - response: The response.
    ///   - completionHandler: Called with the answer.
    public func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        DelegateForms.answer(
            .response,
            of: self,
            to: completionHandler,
            byDefault: .allow,
            by: { await self.urlSession(session, dataTask: dataTask, didReceive: response) }
        )
    }

    /// Calls the other form of the method.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - response: The response.
    /// - Returns: The answer.
    @concurrent public func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        await DelegateForms.ask(.response, of: self) { handler in
            self.urlSession(
                session,
                dataTask: dataTask,
                didReceive: response,
                completionHandler: handler
            )
        }
    }

    /// Calls the other form of the method; if that is not implemented either, the answer is the proposed response.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - proposedResponse: The response that would be stored.
    ///   - completionHandler: Called with the answer.
    public func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        DelegateForms.answer(
            .cachedResponse,
            of: self,
            to: completionHandler,
            byDefault: proposedResponse,
            by: {
                await self.urlSession(
                    session,
                    dataTask: dataTask,
                    willCacheResponse: proposedResponse
                )
            }
        )
    }

    /// Calls the other form of the method.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - proposedResponse: The response that would be stored.
    /// - Returns: The answer.
    @concurrent public func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse? {
        await DelegateForms.ask(.cachedResponse, of: self) { handler in
            self.urlSession(
                session,
                dataTask: dataTask,
                willCacheResponse: proposedResponse,
                completionHandler: handler
            )
        }
    }
}
