import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// A backend's reports about a download; on the event loop, in order.
extension URLSessionDownloadTask {
    /// Records the server's response.
    ///
    /// - Parameters:
    ///   - head: The response; nil if it is not known.
    ///   - request: The final request, after redirects; nil if it is not known.
    func noteResponse(_ head: HTTPResponseHead?, to request: TransferRequest?) {
        if let head { storage.withLock { $0.response = LatestResponse(head) } }
        if let request { noteRequest(request) }
    }

    /// Records that bytes received earlier need not be fetched again.
    ///
    /// The app is notified once if the task was made from resume data, and otherwise only if bytes already reported to
    /// it are lost.
    func noteResumption(at offset: Int64, of total: Int64?) {
        let expected = total ?? NSURLSessionTransferSizeUnknown
        let isNews = storage.withLock { storage in
            defer { storage.owesResumption = false }
            return storage.owesResumption || offset < storage.counts.received
        }
        noteCounts(ByteCounts(received: offset, expected: expected))
        if isNews { tellDelegateLater(.resumed(offset: offset, expectedByteCount: expected)) }
    }

    /// Records the number of bytes received, and the total.
    func noteProgress(_ received: Int64, of total: Int64?) {
        let expected = total ?? NSURLSessionTransferSizeUnknown
        let before = storage.withLock { $0.counts.received }
        noteCounts(ByteCounts(received: received, expected: expected))
        if received < before {
            // The download has started over.
            tellDelegateLater(.resumed(offset: 0, expectedByteCount: expected))
        }
        if received > 0 {
            tellDelegateLater(.progressed(byteCount: received, expectedByteCount: expected))
        }
    }

    /// Records that the file is complete and in its place.
    func noteFile(_ location: URL, byteCount: Int64, wasTold: (@Sendable () -> Void)? = nil) {
        noteProgress(byteCount, of: byteCount)
        finishProgress()
        deliver(.finished(location: location), wasTold: wasTold)
    }

    /// Delivers a message unless there is a completion handler, which is called at the end only.
    private func tellDelegateLater(_ message: Delivery.Message) {
        guard case .delegate = recipient else { return }
        deliver(message)
    }
}
