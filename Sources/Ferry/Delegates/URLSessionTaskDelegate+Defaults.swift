public import FoundationNetworking

// What a delegate does not implement: a task's own delegate passes it on to the session's, and the session's
// does what Apple's library does without a delegate.

extension URLSession {
    /// The session's delegate, unless it is the one that asks.
    func taskDelegate(
        after delegate: any URLSessionTaskDelegate
    ) -> (any URLSessionTaskDelegate)? {
        let next = self.delegate as? any URLSessionTaskDelegate
        return next === delegate ? nil : next
    }
}

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
