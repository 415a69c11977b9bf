public import Foundation
public import FoundationNetworking

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
