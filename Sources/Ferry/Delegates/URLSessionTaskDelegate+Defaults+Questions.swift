public import FoundationNetworking

// If a delegate implements neither form, the answer is that of Apple's library without a delegate. For a task's own
// delegate, the session's delegate is asked instead.

extension URLSessionTaskDelegate {
    /// Calls the other form of the method; if that is not implemented either, the answer is
    /// ``URLSession/DelayedRequestDisposition/continueLoading``.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - request: Its request.
    ///   - completionHandler: Called with the answer.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willBeginDelayedRequest request: URLRequest,
        completionHandler:
            @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
        DelegateForms.answer(
            .delayedRequest,
            of: self,
            to: { completionHandler($0.0, $0.1) },
            byDefault: (.continueLoading, nil),
            by: { await self.urlSession(session, task: task, willBeginDelayedRequest: request) }
        )
    }

    /// Calls the other form of the method.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - request: Its request.
    /// - Returns: The answer.
    @concurrent public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
        await DelegateForms.ask(.delayedRequest, of: self) { handler in
            self.urlSession(session, task: task, willBeginDelayedRequest: request) {
                handler(($0, $1))
            }
        }
    }

    /// Calls the other form of the method; if that is not implemented either, the answer is the new request.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - response: The redirect response.
    ///   - request: The request to be sent next.
    ///   - completionHandler: Called with the answer.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        DelegateForms.answer(
            .redirection,
            of: self,
            to: completionHandler,
            byDefault: request,
            by: {
                await self.urlSession(
                    session,
                    task: task,
                    willPerformHTTPRedirection: response,
                    newRequest: request
                )
            }
        )
    }

    /// Calls the other form of the method.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - response: The redirect response.
    ///   - request: The request to be sent next.
    /// - Returns: The answer.
    @concurrent public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest? {
        await DelegateForms.ask(.redirection, of: self) { handler in
            self.urlSession(
                session,
                task: task,
                willPerformHTTPRedirection: response,
                newRequest: request,
                completionHandler: handler
            )
        }
    }

    /// Calls the other form of the method; if that is not implemented either, the answer is
    /// ``URLSession/AuthChallengeDisposition/performDefaultHandling``.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - challenge: The challenge.
    ///   - completionHandler: Called with the answer.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        DelegateForms.answer(
            .taskChallenge,
            of: self,
            to: { completionHandler($0.0, $0.1) },
            byDefault: (.performDefaultHandling, nil),
            by: { await self.urlSession(session, task: task, didReceive: challenge) }
        )
    }

    /// Calls the other form of the method.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - challenge: The challenge.
    /// - Returns: The answer.
    @concurrent public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        await DelegateForms.ask(.taskChallenge, of: self) { handler in
            self.urlSession(session, task: task, didReceive: challenge) { handler(($0, $1)) }
        }
    }

    /// Answers with nil; for a task's own delegate, the session's delegate is asked instead.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - response: The response.
    ///   - completionHandler: Called with the answer.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needsNewRequestAfter response: HTTPURLResponse,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        DelegateForms.recordDefault(.newRequest, of: self)
        completionHandler(nil)
    }
}
