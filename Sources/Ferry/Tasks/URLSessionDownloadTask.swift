public import Foundation
import FoundationNetworking
import Synchronization

/// A task that puts the body of a response into a file.
///
/// ```swift
/// let task = session.downloadTask(with: url)
/// task.taskDescription = "album cover"
/// task.resume()
/// ```
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
    /// Who gets the file.
    enum Recipient: Sendable {
        /// The delegates.
        case delegate
        /// A closure, which the file does not outlive unless it is kept.
        case handler(@Sendable (URL?, URLResponse?, (any Error)?) -> Void, keepsFile: Bool)
    }

    let recipient: Recipient

    init(
        identifier: Int,
        core: SessionCore,
        backend: any TaskBackend,
        recipient: Recipient,
        storage: Storage
    ) {
        self.recipient = recipient
        super.init(identifier: identifier, core: core, backend: backend, storage: storage)
    }

    /// Ends the download such that it can be continued later.
    ///
    /// The task completes with `URLError.Code.cancelled` as after ``URLSessionTask/cancel()``, and the error
    /// holds the same resume data. Make a task from it by ``URLSession/downloadTask(withResumeData:)``, in
    /// any session, also after the app was started again. The blob names the file with the bytes that are
    /// there; it can be used once.
    ///
    /// - Parameter completionHandler: Called once, on the delegate queue, with the resume data; with nil when
    ///   the download cannot be continued: nothing has arrived yet, the request is no GET, the response has
    ///   neither a strong ETag nor a Last-Modified date that can be relied on, it is compressed, or the server
    ///   does not do ranges.
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        cancel(handingResumeDataTo: completionHandler)
    }

    /// Ends the download such that it can be continued later, and waits for the resume data.
    ///
    /// See ``cancel(byProducingResumeData:)``.
    ///
    /// - Returns: The resume data; nil when the download cannot be continued.
    open func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel(byProducingResumeData: { continuation.resume(returning: $0) })
        }
    }

    override func tell(_ message: Delivery.Message, newByteCount: Int64) {
        switch recipient {
        case .delegate: tellDelegate(message, newByteCount: newByteCount)
        case .handler(let handler, let keepsFile): tell(message, to: handler, keepsFile: keepsFile)
        }
    }
}
