import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// What a backend has to say of a download; on the event loop, in order.
extension URLSessionDownloadTask {
    /// The server has answered.
    ///
    /// - Parameters:
    ///   - head: The answer; nil if nothing is known of it.
    ///   - request: What was asked for at last, after redirects; nil if nothing is known of that.
    func noteResponse(_ head: HTTPResponseHead?, to request: TransferRequest?) {
        if let head { storage.withLock { $0.response = LatestResponse(head) } }
        if let request { noteRequest(request) }
    }

    /// Bytes that were there already need not be fetched again.
    ///
    /// The app hears of it once if the task was made from resume data, and else only if bytes that it has
    /// heard of are lost.
    func noteResumption(at offset: Int64, of total: Int64?) {
        let expected = total ?? NSURLSessionTransferSizeUnknown
        let isNews = storage.withLock { storage in
            defer { storage.owesResumption = false }
            return storage.owesResumption || offset < storage.counts.received
        }
        noteCounts(ByteCounts(received: offset, expected: expected))
        if isNews { tellDelegateLater(.resumed(offset: offset, expectedByteCount: expected)) }
    }

    /// So many bytes are there, of so many.
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

    /// The file is complete and at its place.
    func noteFile(_ location: URL, byteCount: Int64, wasTold: (@Sendable () -> Void)? = nil) {
        noteProgress(byteCount, of: byteCount)
        finishProgress()
        deliver(.finished(location: location), wasTold: wasTold)
    }

    /// A completion handler hears of the end only, so that nothing need wait for it.
    private func tellDelegateLater(_ message: Delivery.Message) {
        guard case .delegate = recipient else { return }
        deliver(message)
    }
}
