public import Foundation
public import FoundationNetworking

extension URLSession {
    /// A task that would continue an upload.
    ///
    /// - Important: Uploads cannot be continued on Linux and leave no resume data, so that there is none to make a
    ///   task from: it fails with `URLError.Code.unsupportedURL` when it is resumed.
    ///
    /// - Parameter resumeData: What an earlier task has left.
    /// - Returns: The task, suspended.
    /// - Precondition: The session was not invalidated.
    public func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
        core.makeFailingUploadTask(of: self, for: .delegate)
    }

    /// A task that would continue an upload, and hand the answer to a closure.
    ///
    /// - Important: It fails as ``uploadTask(withResumeData:)`` says.
    ///
    /// - Parameters:
    ///   - resumeData: What an earlier task has left.
    ///   - completionHandler: Called on the delegate queue with the error.
    /// - Returns: The task, suspended.
    /// - Precondition: This is no background session, and it was not invalidated.
    public func uploadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        core.makeFailingUploadTask(of: self, for: .handler(completionHandler))
    }
}
