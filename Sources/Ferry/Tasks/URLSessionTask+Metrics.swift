import Foundation
import Synchronization

extension URLSessionTask {
    /// Delivers the task's metrics to a delegate, before its end.
    ///
    /// - Parameter make: Makes the metrics, on the delegate queue.
    func deliverMetrics(_ make: @escaping @Sendable () -> URLSessionTaskMetrics) {
        storage.withLock { $0.hasMetrics = true }
        guard isHeard(.metrics) else { return }
        deliver(.call { [self] in tell(make(), in: $0) })
    }

    /// Delivers empty metrics of a task that has ended without any, such as one that could not be started.
    func tellMissingMetrics() {
        let (hasMetrics, created, session) = storage.withLock {
            ($0.hasMetrics, $0.created, $0.session)
        }
        guard !hasMetrics, let session, isHeard(.metrics) else { return }
        let metrics = URLSessionTaskMetrics(
            taskInterval: DateInterval(start: min(created, Date()), end: Date()),
            redirectCount: 0,
            transactions: []
        )
        tell(metrics, in: session)
    }

    private func tell(_ metrics: URLSessionTaskMetrics, in session: URLSession) {
        tell(.metrics) { (delegate: any URLSessionTaskDelegate) in
            delegate.urlSession(session, task: self, didFinishCollecting: metrics)
        }
    }
}
