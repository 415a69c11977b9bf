public import Foundation
public import FoundationNetworking

extension URLSession {
    /// A task that continues an upload.
    ///
    /// The server is asked how much it has, and gets the rest. Resume data is good for one task: if that fails, too,
    /// use what is in its error. What cannot be used, because it is damaged, was used before, or names a file that
    /// is not there any more as it was, fails the task when it is resumed. See <doc:Resumable-uploads>.
    ///
    /// - Parameter resumeData: What an earlier task of any session has left, by
    ///   ``URLSessionUploadTask/cancel(byProducingResumeData:)`` or in its error. In a background session, that of
    ///   an upload from a file.
    /// - Returns: The task, suspended.
    /// - Precondition: The session was not invalidated.
    public func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
        core.makeUploadTask(from: resumeData, of: self, for: .delegate)
    }

    /// A task that continues an upload, and hands the answer to a closure.
    ///
    /// See ``uploadTask(withResumeData:)``.
    ///
    /// - Parameters:
    ///   - resumeData: What an earlier task has left.
    ///   - completionHandler: Called on the delegate queue with the response's body, the response and the error.
    /// - Returns: The task, suspended.
    /// - Precondition: This is no background session, and it was not invalidated.
    public func uploadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        core.makeUploadTask(from: resumeData, of: self, for: .handler(completionHandler))
    }
}
