import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

extension URLSessionDownloadTask {
    /// Delivers a message to the task's delegate, or else the session's; on the delegate queue.
    func notifyDelegate(_ message: Delivery.Message, newByteCount: Int64) {
        guard let session = storage.withLock({ $0.session }) else { return }
        switch message {
        case .resumed(let offset, let expectedByteCount):
            notify(.resumed) { (delegate: any URLSessionDownloadDelegate) in
                delegate.urlSession(
                    session,
                    downloadTask: self,
                    didResumeAtOffset: offset,
                    expectedTotalBytes: expectedByteCount
                )
            }
        case .progressed(let byteCount, let expectedByteCount):
            guard newByteCount > 0 else { return }
            notify(.wrote) { (delegate: any URLSessionDownloadDelegate) in
                delegate.urlSession(
                    session,
                    downloadTask: self,
                    didWriteData: newByteCount,
                    totalBytesWritten: byteCount,
                    totalBytesExpectedToWrite: expectedByteCount
                )
            }
        case .finished(let file):
            let location = file.location
            notify(.finished) { (delegate: any URLSessionDownloadDelegate) in
                delegate.urlSession(
                    session,
                    downloadTask: self,
                    didFinishDownloadingTo: location
                )
            }
            // ferryd removes its own file once the event is acknowledged.
            if !core.isBackground { file.remove() }
        case .sent, .sentAnew, .data, .call, .socket:
            break
        case .completed(let error):
            notifyCompletion(error, in: session)
        }
    }

    /// Delivers a message to a completion handler, which is called at the end only; on the delegate queue.
    func notify(
        _ message: Delivery.Message,
        to handler: @Sendable (URL?, URLResponse?, (any Error)?) -> Void,
        keepsFile: Bool
    ) {
        switch message {
        case .resumed, .progressed, .sent, .sentAnew, .data, .call, .socket:
            break
        case .finished(let file):
            storage.withLock { $0.file = file }
        case .completed(let error):
            let (file, response) = storage.withLock { ($0.file, $0.response.get()) }
            handler(file?.location, response, error)
            if !keepsFile { file?.remove() }
        }
    }
}

/// A backend's reports about a download; on the event loop, in order.
extension URLSessionDownloadTask {
    /// Records the server's response.
    ///
    /// - Parameters:
    ///   - response: The response; nil if it is not known.
    ///   - request: The final request, after redirects; nil if it is not known.
    func recordResponse(_ response: LatestResponse?, to request: TransferRequest?) {
        if let response { storage.withLock { $0.response = response } }
        if let request { recordRequest(request) }
    }

    /// Records that bytes received earlier need not be fetched again.
    ///
    /// The app is notified once if the task was made from resume data, and otherwise only if bytes already reported to
    /// it are lost.
    func recordResumption(at offset: Int64, of total: Int64?) {
        let expected = total ?? NSURLSessionTransferSizeUnknown
        let isNews = storage.withLock { storage in
            defer { storage.owesResumption = false }
            return storage.owesResumption || offset < storage.counts.received
        }
        recordCounts(ByteCounts(received: offset, expected: expected))
        if isNews { notifyDelegateLater(.resumed(offset: offset, expectedByteCount: expected)) }
    }

    /// Records the number of bytes received, and the total; of a body that is decoded, those in its coding as well.
    func recordProgress(_ received: Int64, of total: Int64?, coded: CodedProgress? = nil) {
        let expected = total ?? NSURLSessionTransferSizeUnknown
        let before = storage.withLock { $0.counts.received }
        recordCounts(ByteCounts(received: received, expected: expected), coded: coded)
        if received < before {
            // The download has started over.
            notifyDelegateLater(.resumed(offset: 0, expectedByteCount: expected))
        }
        if received > 0 {
            notifyDelegateLater(.progressed(byteCount: received, expectedByteCount: expected))
        }
    }

    /// Records that the file is complete and in its place.
    func recordFile(_ file: FinishedFile, byteCount: Int64) {
        recordProgress(byteCount, of: byteCount)
        finishProgress()
        deliver(.finished(file))
    }

    /// Delivers a message unless there is a completion handler, which is called at the end only.
    private func notifyDelegateLater(_ message: Delivery.Message) {
        guard case .delegate = recipient else { return }
        deliver(message)
    }
}
