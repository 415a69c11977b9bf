public import FoundationNetworking

// The methods that a delegate does not implement are recorded; see DelegateForms.

extension URLSessionTaskDelegate {
    /// Does nothing; for a task's own delegate, the session's delegate is called instead.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The new task.
    public func urlSession(
        _ session: URLSession,
        didCreateTask task: URLSessionTask
    ) {
        DelegateForms.noteDefault(.created, of: self)
    }

    /// Does nothing; for a task's own delegate, the session's delegate is called instead.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    public func urlSession(
        _ session: URLSession,
        taskIsWaitingForConnectivity task: URLSessionTask
    ) {
        DelegateForms.noteDefault(.waiting, of: self)
    }

    /// Does nothing; for a task's own delegate, the session's delegate is called instead.
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
        DelegateForms.noteDefault(.sent, of: self)
    }

    /// Does nothing; for a task's own delegate, the session's delegate is called instead.
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
        DelegateForms.noteDefault(.informational, of: self)
    }

    /// Does nothing; for a task's own delegate, the session's delegate is called instead.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - metrics: The metrics.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        DelegateForms.noteDefault(.metrics, of: self)
    }

    /// Does nothing; for a task's own delegate, the session's delegate is called instead.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - error: nil on success.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        DelegateForms.noteDefault(.completed, of: self)
    }
}
