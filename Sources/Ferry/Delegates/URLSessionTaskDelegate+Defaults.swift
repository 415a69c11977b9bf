public import Foundation
public import FoundationNetworking

// What a delegate does not implement: a task's own delegate passes it on to the session's, and the session's
// does what Apple's library does without a delegate.

extension URLSession {
    /// The session's delegate, unless it is the one that asks.
    fileprivate func taskDelegate(
        after delegate: any URLSessionTaskDelegate
    ) -> (any URLSessionTaskDelegate)? {
        let next = self.delegate as? any URLSessionTaskDelegate
        return next === delegate ? nil : next
    }
}

// MARK: - Messages

extension URLSessionTaskDelegate {
    /// Passes the message on to the session's delegate, if this is a delegate of the task alone.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The new task.
    public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        session.taskDelegate(after: self)?.urlSession(session, didCreateTask: task)
    }

    /// Passes the message on to the session's delegate, if this is a delegate of the task alone.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    public func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)
    {
        session.taskDelegate(after: self)?.urlSession(session, taskIsWaitingForConnectivity: task)
    }

    /// Passes the message on to the session's delegate, if this is a delegate of the task alone.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - bytesSent: The number of bytes since the last call.
    ///   - totalBytesSent: The number of bytes in all.
    ///   - totalBytesExpectedToSend: The length of the body, or `NSURLSessionTransferSizeUnknown`.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        session.taskDelegate(after: self)?.urlSession(
            session,
            task: task,
            didSendBodyData: bytesSent,
            totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend
        )
    }

    /// Passes the message on to the session's delegate, if this is a delegate of the task alone.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - response: The interim response.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    ) {
        session.taskDelegate(after: self)?.urlSession(
            session,
            task: task,
            didReceiveInformationalResponse: response
        )
    }

    /// Passes the message on to the session's delegate, if this is a delegate of the task alone.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - metrics: The figures.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        DelegateForms.noteDefault(.metrics, of: self)
        session.taskDelegate(after: self)?.urlSession(
            session,
            task: task,
            didFinishCollecting: metrics
        )
    }

    /// Passes the message on to the session's delegate, if this is a delegate of the task alone.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - error: nil when all went well.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        session.taskDelegate(after: self)?.urlSession(
            session,
            task: task,
            didCompleteWithError: error
        )
    }
}

// MARK: - Questions

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
}

// MARK: - Bodies

extension URLSessionTaskDelegate {
    /// Awaits the other form of the method.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - completionHandler: Called with the stream.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (sending InputStream?) -> Void
    ) {
        guard DelegateForms.isDefault(.newBodyStream, of: self) else {
            Task {
                completionHandler(await self.urlSession(session, needNewBodyStreamForTask: task))
            }
            return
        }
        guard let next = session.taskDelegate(after: self) else { return completionHandler(nil) }
        next.urlSession(session, task: task, needNewBodyStream: completionHandler)
    }

    /// Asks the session's delegate, if this is a delegate of the task alone, and has none otherwise.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    /// - Returns: The stream, or nil.
    public func urlSession(
        _ session: URLSession,
        needNewBodyStreamForTask task: URLSessionTask
    ) async -> sending InputStream? {
        DelegateForms.noteDefault(.newBodyStream, of: self)
        guard let next = session.taskDelegate(after: self) else { return nil }
        return await withCheckedContinuation { continuation in
            next.urlSession(
                session,
                task: task,
                needNewBodyStream: { continuation.resume(returning: $0) }
            )
        }
    }

    /// Awaits the other form of the method.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - offset: How many bytes of the body the server has.
    ///   - completionHandler: Called with the stream.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (sending InputStream?) -> Void
    ) {
        guard DelegateForms.isDefault(.newBodyStreamFrom, of: self) else {
            Task {
                completionHandler(
                    await self.urlSession(session, needNewBodyStreamForTask: task, from: offset)
                )
            }
            return
        }
        guard let next = session.taskDelegate(after: self) else { return completionHandler(nil) }
        next.urlSession(
            session,
            task: task,
            needNewBodyStreamFrom: offset,
            completionHandler: completionHandler
        )
    }

    /// Asks the session's delegate, if this is a delegate of the task alone, and has none otherwise.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - offset: How many bytes of the body the server has.
    /// - Returns: The stream, or nil.
    public func urlSession(
        _ session: URLSession,
        needNewBodyStreamForTask task: URLSessionTask,
        from offset: Int64
    ) async -> sending InputStream? {
        DelegateForms.noteDefault(.newBodyStreamFrom, of: self)
        guard let next = session.taskDelegate(after: self) else { return nil }
        return await withCheckedContinuation { continuation in
            next.urlSession(
                session,
                task: task,
                needNewBodyStreamFrom: offset,
                completionHandler: { continuation.resume(returning: $0) }
            )
        }
    }
}

extension URLSessionTaskDelegate {
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
