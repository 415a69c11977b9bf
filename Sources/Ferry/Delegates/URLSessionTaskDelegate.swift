/// What a task tells, whatever its kind.
///
/// Methods that a task's own ``URLSessionTask/delegate`` does not implement are passed on to the
/// session's delegate.
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    /// Tells the delegate that a task was created.
    ///
    /// The first message of a task. Called inside of the method that creates it, on the same thread and not
    /// on the delegate queue.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The new task.
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

    /// Tells the delegate that a task has ended.
    ///
    /// The last message of a task. Not called for tasks with a completion handler.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - error: nil when all went well, else a `URLError`. A response with a status such as 404 is no
    ///     error; look at ``URLSessionTask/response``.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    )
}

extension URLSessionTaskDelegate {
    /// Passes the message on to the session's delegate, if this is a delegate of the task alone.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The new task.
    public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        let next = session.delegate as? any URLSessionTaskDelegate
        guard let next, next !== self else { return }
        next.urlSession(session, didCreateTask: task)
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
        let next = session.delegate as? any URLSessionTaskDelegate
        guard let next, next !== self else { return }
        next.urlSession(session, task: task, didCompleteWithError: error)
    }
}
