public import FoundationNetworking

// Questions whose answers are those of Apple's library without a delegate.

extension URLSessionTaskDelegate {
    /// Awaits the other form of the method.
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
            by: { await self.urlSession(session, task: task, willBeginDelayedRequest: request) },
            orBy: { answer in
                guard let next = session.taskDelegate(after: self) else {
                    return answer((.continueLoading, nil))
                }
                next.urlSession(session, task: task, willBeginDelayedRequest: request) {
                    answer(($0, $1))
                }
            }
        )
    }

    /// Asks the session's delegate, if this is a delegate of the task alone, and answers ``URLSession/DelayedRequestDisposition/continueLoading`` otherwise.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - request: Its request.
    /// - Returns: The answer.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
        DelegateForms.noteDefault(.delayedRequest, of: self)
        guard let next = session.taskDelegate(after: self) else { return (.continueLoading, nil) }
        return await withCheckedContinuation { continuation in
            next.urlSession(session, task: task, willBeginDelayedRequest: request) {
                continuation.resume(returning: ($0, $1))
            }
        }
    }

    /// Awaits the other form of the method.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - response: The response that redirects.
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
            by: {
                await self.urlSession(
                    session,
                    task: task,
                    willPerformHTTPRedirection: response,
                    newRequest: request
                )
            },
            orBy: { answer in
                guard let next = session.taskDelegate(after: self) else { return answer(request) }
                next.urlSession(
                    session,
                    task: task,
                    willPerformHTTPRedirection: response,
                    newRequest: request,
                    completionHandler: answer
                )
            }
        )
    }

    /// Asks the session's delegate, if this is a delegate of the task alone, and answers the new request otherwise.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - response: The response that redirects.
    ///   - request: The request to be sent next.
    /// - Returns: The answer.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest? {
        DelegateForms.noteDefault(.redirection, of: self)
        guard let next = session.taskDelegate(after: self) else { return request }
        return await withCheckedContinuation { continuation in
            next.urlSession(
                session,
                task: task,
                willPerformHTTPRedirection: response,
                newRequest: request
            ) { continuation.resume(returning: $0) }
        }
    }

    /// Awaits the other form of the method.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - challenge: What is asked.
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
            by: { await self.urlSession(session, task: task, didReceive: challenge) },
            orBy: { answer in
                guard let next = session.taskDelegate(after: self) else {
                    return answer((.performDefaultHandling, nil))
                }
                next.urlSession(session, task: task, didReceive: challenge) { answer(($0, $1)) }
            }
        )
    }

    /// Asks the session's delegate, if this is a delegate of the task alone, and answers ``URLSession/AuthChallengeDisposition/performDefaultHandling`` otherwise.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - challenge: What is asked.
    /// - Returns: The answer.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        DelegateForms.noteDefault(.taskChallenge, of: self)
        guard let next = session.taskDelegate(after: self) else {
            return (.performDefaultHandling, nil)
        }
        return await withCheckedContinuation { continuation in
            next.urlSession(session, task: task, didReceive: challenge) {
                continuation.resume(returning: ($0, $1))
            }
        }
    }

    /// Asks the session's delegate, if this is a delegate of the task alone, and answers nil otherwise.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - response: The answer.
    ///   - completionHandler: Called with the answer.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needsNewRequestAfter response: HTTPURLResponse,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let next = session.taskDelegate(after: self) else { return completionHandler(nil) }
        next.urlSession(
            session,
            task: task,
            needsNewRequestAfter: response,
            completionHandler: completionHandler
        )
    }
}
