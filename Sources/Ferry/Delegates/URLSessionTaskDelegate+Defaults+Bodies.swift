public import Foundation

// Questions for bodies.

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
