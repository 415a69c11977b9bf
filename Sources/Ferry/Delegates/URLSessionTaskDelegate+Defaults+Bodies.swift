public import Foundation

// The methods that ask for bodies.

extension URLSessionTaskDelegate {
    /// Calls the other form of the method; if that is not implemented either, the answer is nil.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - completionHandler: Called with the answer.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        DelegateForms.answer(
            .newBodyStream,
            of: self,
            to: completionHandler,
            byDefault: nil,
            by: { await self.urlSession(session, needNewBodyStreamForTask: task) }
        )
    }

    /// Calls the other form of the method.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    /// - Returns: The stream, or nil.
    @concurrent public func urlSession(
        _ session: URLSession,
        needNewBodyStreamForTask task: URLSessionTask
    ) async -> InputStream? {
        await DelegateForms.ask(.newBodyStream, of: self) { handler in
            self.urlSession(session, task: task, needNewBodyStream: handler)
        }
    }

    /// Calls the other form of the method; if that is not implemented either, the answer is nil.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - offset: The number of bytes of the body that the server has.
    ///   - completionHandler: Called with the answer.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        DelegateForms.answer(
            .newBodyStreamFrom,
            of: self,
            to: completionHandler,
            byDefault: nil,
            by: { await self.urlSession(session, needNewBodyStreamForTask: task, from: offset) }
        )
    }

    /// Calls the other form of the method.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - task: The task.
    ///   - offset: The number of bytes of the body that the server has.
    /// - Returns: The stream, or nil.
    @concurrent public func urlSession(
        _ session: URLSession,
        needNewBodyStreamForTask task: URLSessionTask,
        from offset: Int64
    ) async -> InputStream? {
        await DelegateForms.ask(.newBodyStreamFrom, of: self) { handler in
            self.urlSession(
                session,
                task: task,
                needNewBodyStreamFrom: offset,
                completionHandler: handler
            )
        }
    }
}
