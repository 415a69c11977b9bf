public import Foundation
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
        DelegateForms.recordDefault(.created, of: self)
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
        DelegateForms.recordDefault(.waiting, of: self)
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
        DelegateForms.recordDefault(.sent, of: self)
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
        DelegateForms.recordDefault(.informational, of: self)
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
        DelegateForms.recordDefault(.metrics, of: self)
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
        DelegateForms.recordDefault(.completed, of: self)
    }
}

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
