public import Foundation
public import FoundationNetworking

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
        DelegateForms.noteDefault(.becameDownload, of: self)
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
        DelegateForms.noteDefault(.data, of: self)
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
