import Ferry
import Foundation

/// Stands between a session and an app's delegate, and writes down what goes by, as tools for debugging do.
///
/// Written for Apple's URLSession; only an import is another.
final class TrafficLog: NSObject, @unchecked Sendable {
    private let actualDelegate: any URLSessionDelegate
    // Guards what follows.
    private let lock = NSLock()
    private var lines: [String] = []

    init(for delegate: any URLSessionDelegate) {
        actualDelegate = delegate
    }

    /// What has gone by.
    var entries: [String] { lock.withLock { lines } }

    private var taskDelegate: (any URLSessionTaskDelegate)? {
        actualDelegate as? any URLSessionTaskDelegate
    }

    private var dataDelegate: (any URLSessionDataDelegate)? {
        actualDelegate as? any URLSessionDataDelegate
    }

    private func log(_ line: String) {
        lock.withLock { lines.append(line) }
    }
}

// MARK: - URLSessionTaskDelegate

extension TrafficLog: URLSessionTaskDelegate {
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        log("created")
        taskDelegate?.urlSession(session, didCreateTask: task)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        log("redirect \(response.statusCode)")
        guard let taskDelegate else { return completionHandler(request) }
        taskDelegate.urlSession(
            session,
            task: task,
            willPerformHTTPRedirection: response,
            newRequest: request,
            completionHandler: completionHandler
        )
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void
    ) {
        log("challenge")
        guard let taskDelegate else { return completionHandler(.performDefaultHandling, nil) }
        taskDelegate.urlSession(
            session,
            task: task,
            didReceive: challenge,
            completionHandler: completionHandler
        )
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        log("stream")
        guard let taskDelegate else { return completionHandler(nil) }
        taskDelegate.urlSession(session, task: task, needNewBodyStream: completionHandler)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        taskDelegate?.urlSession(
            session,
            task: task,
            didSendBodyData: bytesSent,
            totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend
        )
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        log("metrics \(metrics.transactionMetrics.count)")
        taskDelegate?.urlSession(session, task: task, didFinishCollecting: metrics)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        log("completed")
        taskDelegate?.urlSession(session, task: task, didCompleteWithError: error)
    }
}

// MARK: - URLSessionDataDelegate

extension TrafficLog: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        log("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        guard let dataDelegate else { return completionHandler(.allow) }
        dataDelegate.urlSession(
            session,
            dataTask: dataTask,
            didReceive: response,
            completionHandler: completionHandler
        )
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        dataDelegate?.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        log("cache")
        guard let dataDelegate else { return completionHandler(proposedResponse) }
        dataDelegate.urlSession(
            session,
            dataTask: dataTask,
            willCacheResponse: proposedResponse,
            completionHandler: completionHandler
        )
    }
}
