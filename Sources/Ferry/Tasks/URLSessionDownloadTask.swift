import FerryTransfer
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

    /// Goes on with another request for the same resource, whose address was good for a time only.
    ///
    /// The bytes that are there are kept if the answer to the new request proves to be the same: by the last
    /// 64 KiB of them and the length of the whole, and by the digests of ``TransferOptions/expectedDigests`` at
    /// the end. Otherwise the download begins anew. Has no effect on a task that has ended.
    ///
    /// What ``URLSessionConfiguration/httpAdditionalHeaders`` adds stays with the origin of the task's own URL.
    ///
    /// To be asked for such a request when it is needed, see
    /// ``URLSessionConfiguration/replacesExpiredLinks``.
    ///
    /// - Parameter request: A GET over HTTP or HTTPS. One that cannot be sent changes nothing, and is reported on
    ///   standard error.
    open func relink(to request: URLRequest) {
        do throws(URLError) {
            let replacement = try TransferRequest(
                request,
                configuration: core.configuration,
                madeFor: madeFor
            )
            backend.relink(self, to: replacement)
        } catch {
            Diagnostics.report(
                "The new request of task \(taskIdentifier) cannot be sent: "
                    + error.localizedDescription
            )
        }
    }

    override func tell(_ message: Delivery.Message, newByteCount: Int64) {
        switch recipient {
        case .delegate: tellDelegate(message, newByteCount: newByteCount)
        case .handler(let handler, let keepsFile): tell(message, to: handler, keepsFile: keepsFile)
        }
    }
}
