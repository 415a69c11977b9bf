public import Foundation

/// Methods that a session calls on its delegates for download tasks.
///
/// The order for one task is: `didResumeAtOffset` if it was made from resume data, `didWriteData` as
/// bytes arrive, `didFinishDownloadingTo`, and finally `didCompleteWithError`. A task that fails or is
/// cancelled skips `didFinishDownloadingTo`.
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    /// Tells the delegate that a download has finished.
    ///
    /// The file is deleted when the method returns: move or open it inside the method. It holds the response's
    /// body whatever the response's status was; look at ``URLSessionTask/response``.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - downloadTask: The task.
    ///   - location: The file, named `CFNetworkDownload_` and six characters, then `.tmp`.
    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    )

    /// Tells the delegate about the progress of a download.
    ///
    /// At most one call waits on the delegate queue per task: while the delegate is busy, progress accumulates, and the
    /// next call reports the sum. The last call before `didFinishDownloadingTo` reports the whole body's length. Not
    /// called for an empty body.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - downloadTask: The task.
    ///   - bytesWritten: The number of bytes since the last call.
    ///   - totalBytesWritten: The number of bytes of the body received so far, including those from an earlier task
    ///     that this one continues.
    ///   - totalBytesExpectedToWrite: The length of the whole body, or `NSURLSessionTransferSizeUnknown`.
    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    )

    /// Tells the delegate that a download continues an earlier one.
    ///
    /// Called for tasks made from resume data, before any `didWriteData`; and whenever a task has to fetch
    /// bytes again that it had written, because the resource has changed.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - downloadTask: The task.
    ///   - fileOffset: The number of bytes that need not be fetched again; 0 if it starts over.
    ///   - expectedTotalBytes: The length of the whole body, or `NSURLSessionTransferSizeUnknown`.
    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    )
}

extension URLSessionDownloadDelegate {
    /// Does nothing; for a task's own delegate, the session's delegate is called instead.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - downloadTask: The task.
    ///   - bytesWritten: The number of bytes since the last call.
    ///   - totalBytesWritten: The number of bytes received so far.
    ///   - totalBytesExpectedToWrite: The length of the whole body, or `NSURLSessionTransferSizeUnknown`.
    public func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        DelegateForms.recordDefault(.wrote, of: self)
    }

    /// Does nothing; for a task's own delegate, the session's delegate is called instead.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - downloadTask: The task.
    ///   - fileOffset: The number of bytes that need not be fetched again.
    ///   - expectedTotalBytes: The length of the whole body, or `NSURLSessionTransferSizeUnknown`.
    public func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        DelegateForms.recordDefault(.resumed, of: self)
    }
}
