public import Foundation
public import FoundationNetworking

extension URLSession {
    /// Creates a task that sends a file.
    ///
    /// In a background session the file is opened when the task is made, and the task belongs to the daemon when
    /// ``flush(completionHandler:)`` calls back. From then on the app may change or delete the file if it has at most
    /// 16 MiB, or if its file system can share its blocks with a file of the daemon; otherwise the file must not change
    /// until the task has ended. A changed file is not sent: the task fails with `URLError.Code.cannotOpenFile`. See
    /// <doc:Background-transfers>.
    ///
    /// - Parameters:
    ///   - request: An HTTP or HTTPS request, whose own body is ignored. A GET fails with
    ///     `URLError.Code.dataLengthExceedsMaximum`.
    ///   - fileURL: The file. In other sessions it is opened when the task is first resumed, and sent with the length
    ///     that it has then. A missing file fails with `URLError.Code.fileDoesNotExist`.
    /// - Returns: The task, suspended.
    /// - Precondition: The session was not invalidated.
    public func uploadTask(
        with request: URLRequest,
        fromFile fileURL: URL
    ) -> URLSessionUploadTask {
        core.makeUploadTask(request, sending: .file(fileURL), of: self)
    }

    /// Creates a task that sends bytes.
    ///
    /// - Parameters:
    ///   - request: An HTTP or HTTPS request, whose own body is ignored. A GET fails with
    ///     `URLError.Code.dataLengthExceedsMaximum`.
    ///   - bodyData: The bytes.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        core.makeUploadTask(request, sending: .data(bodyData), of: self)
    }

    /// Creates a task that sends the bytes of the delegate's stream.
    ///
    /// The delegate's `needNewBodyStream` is called when the task begins, and again when the body has to be sent
    /// again. The body is sent in chunks, unless the request has a `Content-Length` field.
    ///
    /// - Parameter request: An HTTP or HTTPS request, whose own body is ignored.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        core.makeUploadTask(request, sending: .onDemand, of: self)
    }

    /// Creates a task that sends a file and passes the response to a closure.
    ///
    /// - Parameters:
    ///   - request: An HTTP or HTTPS request, whose own body is ignored.
    ///   - fileURL: The file.
    ///   - completionHandler: Called on the delegate queue with the response's body, the response and the error.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func uploadTask(
        with request: URLRequest,
        fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        core.makeUploadTask(
            request,
            sending: .file(fileURL),
            of: self,
            for: .handler(completionHandler)
        )
    }

    /// Creates a task that sends bytes and passes the response to a closure.
    ///
    /// - Parameters:
    ///   - request: An HTTP or HTTPS request, whose own body is ignored.
    ///   - bodyData: The bytes; nil for none.
    ///   - completionHandler: Called on the delegate queue with the response's body, the response and the error.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func uploadTask(
        with request: URLRequest,
        from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        core.makeUploadTask(
            request,
            sending: .data(bodyData ?? Data()),
            of: self,
            for: .handler(completionHandler)
        )
    }
}

extension URLSession {
    /// Creates a task that resumes an upload.
    ///
    /// The server is asked how many bytes it has, and receives the rest. Resume data is valid for one task: if that
    /// fails, too, use the resume data in its error. If resume data is damaged, was used before, or names a file that
    /// is missing or was changed, the task fails when it is resumed. See <doc:Resumable-uploads>.
    ///
    /// - Parameter resumeData: The resume data of an earlier task of any session, from
    ///   ``URLSessionUploadTask/cancel(byProducingResumeData:)`` or from its error. In a background session, that of an
    ///   upload from a file.
    /// - Returns: The task, suspended.
    /// - Precondition: The session was not invalidated.
    public func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
        core.makeUploadTask(from: resumeData, of: self, for: .delegate)
    }

    /// Creates a task that resumes an upload and passes the response to a closure.
    ///
    /// See ``uploadTask(withResumeData:)``.
    ///
    /// - Parameters:
    ///   - resumeData: The resume data of an earlier task.
    ///   - completionHandler: Called on the delegate queue with the response's body, the response and the error.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func uploadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        core.makeUploadTask(from: resumeData, of: self, for: .handler(completionHandler))
    }
}
