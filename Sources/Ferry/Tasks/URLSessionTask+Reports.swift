import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// What a backend has to say of any task; on the event loop, in order.
extension URLSessionTask {
    /// The session, while the task is under way.
    var session: URLSession? { storage.withLock { $0.session } }

    /// The URL that the task was made for, of a WebSocket that of its handshake: what belongs to the session is meant
    /// for its origin alone.
    var madeFor: String? {
        storage.withLock { $0.madeFor ?? $0.originalRequest?.url?.addressOfServer }
    }

    /// What is asked for at last, after redirects.
    func noteRequest(_ request: TransferRequest) {
        storage.withLock { storage in
            let completed = storage.originalRequest?.completed(by: core.configuration)
            storage.currentRequest = completed?.redirected(as: request)
        }
    }

    /// The answer is there, of whatever kind.
    func noteAnswer(_ response: LatestResponse) {
        storage.withLock { $0.response = response }
        noteCounts(ByteCounts(received: 0, expected: response.bodyByteCount))
    }

    /// The length of the body that the response has announced; nil where it has not.
    var expectedBodyByteCount: Int64? {
        let expected = storage.withLock { $0.counts.expected }
        return expected == NSURLSessionTransferSizeUnknown ? nil : expected
    }

    /// So many more bytes of the body are there.
    func noteBodyBytes(_ count: Int) {
        var counts = storage.withLock { $0.counts }
        counts.received += Int64(count)
        noteCounts(counts)
    }

    /// So many bytes of the request's body have left.
    func noteSent(_ byteCount: Int64) {
        let (expected, isAgain) = storage.withLock { storage in
            defer { storage.sentCounts.sent = byteCount }
            return (storage.sentCounts.expected, byteCount < storage.sentCounts.sent)
        }
        updateProgress()
        // To wake the delegate queue for each part of a long body costs more than to send it.
        guard isHeard(.sent) else { return }
        if isAgain { deliver(.sentAnew(from: 0)) }
        deliver(.sent(byteCount: byteCount, expectedByteCount: expected))
    }

    /// The body is sent from there on, of which more may have left before.
    func noteSending(from offset: Int64) {
        storage.withLock { $0.sentCounts.sent = offset }
        updateProgress()
        if isHeard(.sent) { deliver(.sentAnew(from: offset)) }
    }

    /// The request's body is that long.
    func noteExpectedToSend(_ byteCount: Int64) {
        storage.withLock { storage in
            storage.sentCounts.expected = byteCount
            storage.sentCounts.unopenedFile = nil
        }
        updateProgress()
    }
}

extension URL {
    /// The address; of a WebSocket, that of its handshake.
    fileprivate var addressOfServer: String {
        let text = absoluteString
        guard let scheme, ["ws", "wss"].contains(scheme.lowercased()) else { return text }
        return "http" + text.dropFirst(2)
    }
}
