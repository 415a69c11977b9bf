public import Foundation
public import FoundationNetworking

extension URLSession {
    /// The session's delegate, unless it is the one that asks.
    fileprivate func dataDelegate(
        after delegate: any URLSessionDataDelegate
    ) -> (any URLSessionDataDelegate)? {
        let next = self.delegate as? any URLSessionDataDelegate
        return next === delegate ? nil : next
    }
}

extension URLSessionDataDelegate {
    /// Passes the message on to the session's delegate, if this is a delegate of the task alone.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - downloadTask: The task that it is.
    public func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {
        session.dataDelegate(after: self)?.urlSession(
            session,
            dataTask: dataTask,
            didBecome: downloadTask
        )
    }

    /// Passes the message on to the session's delegate, if this is a delegate of the task alone.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - data: What has come since the last call.
    public func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive data: Data
    ) {
        session.dataDelegate(after: self)?.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    /// Awaits the other form of the method.
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
            by: { await self.urlSession(session, dataTask: dataTask, didReceive: response) },
            orBy: { answer in
                guard let next = session.dataDelegate(after: self) else { return answer(.allow) }
                next.urlSession(
                    session,
                    dataTask: dataTask,
                    didReceive: response,
                    completionHandler: answer
                )
            }
        )
    }

    /// Asks the session's delegate, if this is a delegate of the task alone, and answers ``URLSession/ResponseDisposition/allow`` otherwise.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - response: The response.
    /// - Returns: The answer.
    public func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        DelegateForms.noteDefault(.response, of: self)
        guard let next = session.dataDelegate(after: self) else { return .allow }
        return await withCheckedContinuation { continuation in
            next.urlSession(session, dataTask: dataTask, didReceive: response) {
                continuation.resume(returning: $0)
            }
        }
    }

    /// Awaits the other form of the method.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - proposedResponse: What would be stored.
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
            by: {
                await self.urlSession(
                    session,
                    dataTask: dataTask,
                    willCacheResponse: proposedResponse
                )
            },
            orBy: { answer in
                guard let next = session.dataDelegate(after: self) else {
                    return answer(proposedResponse)
                }
                next.urlSession(
                    session,
                    dataTask: dataTask,
                    willCacheResponse: proposedResponse,
                    completionHandler: answer
                )
            }
        )
    }

    /// Asks the session's delegate, if this is a delegate of the task alone, and answers what is proposed otherwise.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - dataTask: The task.
    ///   - proposedResponse: What would be stored.
    /// - Returns: The answer.
    public func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse? {
        DelegateForms.noteDefault(.cachedResponse, of: self)
        guard let next = session.dataDelegate(after: self) else { return proposedResponse }
        return await withCheckedContinuation { continuation in
            next.urlSession(session, dataTask: dataTask, willCacheResponse: proposedResponse) {
                continuation.resume(returning: $0)
            }
        }
    }
}
