import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// A backend's reports about any task; on the event loop, in order.
extension URLSessionTask {
    /// The session, until the task has ended.
    var session: URLSession? { storage.withLock { $0.session } }

    /// The URL that the task was made for; for a WebSocket, that of its handshake.
    ///
    /// The session's data is meant for the origin of this URL alone.
    var madeFor: String? {
        storage.withLock { $0.madeFor ?? $0.originalRequest?.url?.addressOfServer }
    }

    /// Tells the delegate that the task waits for a network.
    func notifyWaitingForConnectivity() {
        deliver(
            .call { [self] session in
                notify(.waiting) { (delegate: any URLSessionTaskDelegate) in
                    delegate.urlSession(session, taskIsWaitingForConnectivity: self)
                }
            }
        )
    }

    /// Records the latest request, after redirects.
    func recordRequest(_ request: TransferRequest) {
        storage.withLock { storage in
            let completed = storage.originalRequest?.completed(by: core.configuration)
            storage.currentRequest = completed?.redirected(as: request)
        }
    }

    /// Records a response of any kind.
    func recordAnswer(_ response: LatestResponse) {
        storage.withLock { $0.response = response }
        recordCounts(ByteCounts(received: 0, expected: response.bodyByteCount))
    }

    /// The length of the body that the response has announced; nil where it has not.
    var expectedBodyByteCount: Int64? {
        let expected = storage.withLock { $0.counts.expected }
        return expected == NSURLSessionTransferSizeUnknown ? nil : expected
    }

    /// Records that more bytes of the body have arrived; of one that is decoded, how many in its coding.
    func recordBodyBytes(_ count: Int, coded: CodedProgress?) {
        var counts = storage.withLock { $0.counts }
        counts.received += Int64(count)
        recordCounts(counts, coded: coded)
    }

    /// Records the number of bytes of the request's body that were sent.
    func recordSent(_ byteCount: Int64) {
        let (expected, isAgain) = storage.withLock { storage in
            defer { storage.sentCounts.sent = byteCount }
            return (storage.sentCounts.expected, byteCount < storage.sentCounts.sent)
        }
        updateProgress()
        // Waking the delegate queue for each part of a long body costs more than sending it.
        guard hasHandler(.sent) || core.unread != nil else { return }
        if isAgain { deliver(.sentAnew(from: 0)) }
        deliver(.sent(byteCount: byteCount, expectedByteCount: expected))
    }

    /// Records that the body is sent from an offset; bytes after it may have been sent before.
    func recordSending(from offset: Int64) {
        storage.withLock { $0.sentCounts.sent = offset }
        updateProgress()
        if hasHandler(.sent) { deliver(.sentAnew(from: offset)) }
    }

    /// Records the length of the request's body.
    func recordExpectedToSend(_ byteCount: Int64) {
        storage.withLock { storage in
            storage.sentCounts.expected = byteCount
            storage.sentCounts.unopenedFile = nil
        }
        updateProgress()
    }
}

extension URL {
    /// The address; for a WebSocket, that of its handshake.
    fileprivate var addressOfServer: String {
        let text = absoluteString
        guard let scheme, ["ws", "wss"].contains(scheme.lowercased()) else { return text }
        return "http" + text.dropFirst(2)
    }
}

extension URLSessionTask {
    /// Delivers the task's metrics to a delegate, before its end.
    ///
    /// - Parameter make: Makes the metrics, on the delegate queue.
    func deliverMetrics(_ make: @escaping @Sendable () -> URLSessionTaskMetrics) {
        storage.withLock { $0.hasMetrics = true }
        guard hasHandler(.metrics) else { return }
        deliver(.call { [self] in notify(make(), in: $0) })
    }

    /// Delivers empty metrics of a task that has ended without any, such as one that could not be started.
    func notifyMissingMetrics() {
        let (hasMetrics, created, session) = storage.withLock {
            ($0.hasMetrics, $0.created, $0.session)
        }
        guard !hasMetrics, let session, hasHandler(.metrics) else { return }
        let metrics = URLSessionTaskMetrics(
            taskInterval: DateInterval(start: min(created, Date()), end: Date()),
            redirectCount: 0,
            transactions: []
        )
        notify(metrics, in: session)
    }

    private func notify(_ metrics: URLSessionTaskMetrics, in session: URLSession) {
        notify(.metrics) { (delegate: any URLSessionTaskDelegate) in
            delegate.urlSession(session, task: self, didFinishCollecting: metrics)
        }
    }
}
