import FerryTransfer
public import Foundation
import FoundationNetworking
import Synchronization

/// A task that stores the body of a response in a file.
///
/// ```swift
/// let task = session.downloadTask(with: url)
/// task.taskDescription = "album cover"
/// task.resume()
/// ```
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
    /// The recipient of the file.
    enum Recipient: Sendable {
        /// The delegates.
        case delegate
        /// A closure; the file is deleted after the call unless it is kept.
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

    /// Cancels the download so that it can be resumed later.
    ///
    /// The task completes with `URLError.Code.cancelled` as after ``URLSessionTask/cancel()``, and the error holds the
    /// same resume data. Make a task from it with ``URLSession/downloadTask(withResumeData:)``, in any session, also
    /// after the app was restarted. The resume data names the file with the received bytes; it can be used once.
    ///
    /// - Parameter completionHandler: Called once, on the delegate queue, with the resume data; with nil if the
    ///   download cannot be resumed: nothing has arrived yet, the request is not a GET, the response has neither a
    ///   strong ETag nor a reliable Last-Modified date, it is compressed, or the server does not support ranges.
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        cancel(handingResumeDataTo: completionHandler)
    }

    /// Cancels the download so that it can be resumed later, and waits for the resume data.
    ///
    /// See ``cancel(byProducingResumeData:)``.
    ///
    /// Cancelling the surrounding Swift task has no effect: the resume data would be lost.
    ///
    /// - Returns: The resume data; nil if the download cannot be resumed.
    open func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel(byProducingResumeData: { continuation.resume(returning: $0) })
        }
    }

    /// Continues with another request for the same resource, whose URL was valid for a limited time.
    ///
    /// The received bytes are kept if the response to the new request proves to be the same: by the last 64 KiB of them
    /// and the total length, and by the digests of ``TransferOptions/expectedDigests`` at the end. Otherwise the
    /// download starts over. Has no effect on a task that has ended.
    ///
    /// What ``URLSessionConfiguration/httpAdditionalHeaders`` adds stays with the origin of the task's own URL.
    ///
    /// To be asked for such a request when it is needed, see
    /// ``URLSessionConfiguration/replacesExpiredLinks``.
    ///
    /// - Parameter request: A GET over HTTP or HTTPS. A request that cannot be sent changes nothing, and is reported on
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

    /// Where the app has put the file, for the user to be told.
    ///
    /// Default: nil. An app sets it in `urlSession(_:downloadTask:didFinishDownloadingTo:)` of a background session. ferryd
    /// remembers it, and `ferry list --all`, `ferry why` and ``TransferDaemon/endedTransfers(matching:limit:)`` show it. A
    /// value that is set after that method has returned, or in another session, has no effect. Apple's library has no such
    /// property.
    public var savedLocation: URL? {
        get { storage.withLock { $0.savedLocation } }
        set { storage.withLock { $0.savedLocation = newValue } }
    }

    override func notify(_ message: Delivery.Message, newByteCount: Int64) {
        switch recipient {
        case .delegate: notifyDelegate(message, newByteCount: newByteCount)
        case .handler(let handler, let keepsFile):
            notify(message, to: handler, keepsFile: keepsFile)
        }
    }
}
