import Ferry
import Foundation

/// Forwards every message and every question to another delegate, as proxies do.
package final class ForwardingDelegate: RecordingDelegate, URLSessionDataDelegate,
    URLSessionDownloadDelegate, URLSessionWebSocketDelegate, @unchecked Sendable
{
    private let inner:
        any URLSessionDataDelegate & URLSessionDownloadDelegate & URLSessionWebSocketDelegate

    /// Forwards to a delegate.
    package init(
        to inner: any URLSessionDataDelegate & URLSessionDownloadDelegate
            & URLSessionWebSocketDelegate
    ) {
        self.inner = inner
    }

    package func urlSession(
        _ session: URLSession,
        didBecomeInvalidWithError error: (any Error)?
    ) {
        record("didBecomeInvalid")
        inner.urlSession(session, didBecomeInvalidWithError: error)
    }

    package func urlSession(
        _ session: URLSession,
        didCreateTask task: URLSessionTask
    ) {
        record("didCreateTask")
        inner.urlSession(session, didCreateTask: task)
    }

    package func urlSession(
        _ session: URLSession,
        taskIsWaitingForConnectivity task: URLSessionTask
    ) {
        record("taskIsWaitingForConnectivity")
        inner.urlSession(session, taskIsWaitingForConnectivity: task)
    }

    package func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        record("didSendBodyData")
        inner.urlSession(
            session,
            task: task,
            didSendBodyData: bytesSent,
            totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend
        )
    }

    package func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    ) {
        record("didReceiveInformationalResponse")
        inner.urlSession(session, task: task, didReceiveInformationalResponse: response)
    }

    package func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        record("didFinishCollecting")
        inner.urlSession(session, task: task, didFinishCollecting: metrics)
    }

    package func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        record("didComplete")
        inner.urlSession(session, task: task, didCompleteWithError: error)
    }

    package func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {
        record("didBecomeDownloadTask")
        inner.urlSession(session, dataTask: dataTask, didBecome: downloadTask)
    }

    package func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive data: Data
    ) {
        record("didReceiveData")
        inner.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    package func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        record("didFinishDownloading")
        inner.urlSession(session, downloadTask: downloadTask, didFinishDownloadingTo: location)
    }

    package func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        record("didWriteData")
        inner.urlSession(
            session,
            downloadTask: downloadTask,
            didWriteData: bytesWritten,
            totalBytesWritten: totalBytesWritten,
            totalBytesExpectedToWrite: totalBytesExpectedToWrite
        )
    }

    package func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        record("didResumeAtOffset")
        inner.urlSession(
            session,
            downloadTask: downloadTask,
            didResumeAtOffset: fileOffset,
            expectedTotalBytes: expectedTotalBytes
        )
    }

    package func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol `protocol`: String?
    ) {
        record("didOpen")
        inner.urlSession(session, webSocketTask: webSocketTask, didOpenWithProtocol: `protocol`)
    }

    package func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
        reason: Data?
    ) {
        record("didClose")
        inner.urlSession(
            session,
            webSocketTask: webSocketTask,
            didCloseWith: closeCode,
            reason: reason
        )
    }

    package func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        record("didFinishEvents")
        inner.urlSessionDidFinishEvents(forBackgroundURLSession: session)
    }

    package func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        record("sessionChallenge")
        inner.urlSession(session, didReceive: challenge, completionHandler: completionHandler)
    }

    package func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willBeginDelayedRequest request: URLRequest,
        completionHandler:
            @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
        record("willBeginDelayedRequest")
        inner.urlSession(
            session,
            task: task,
            willBeginDelayedRequest: request,
            completionHandler: completionHandler
        )
    }

    package func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        record("redirection")
        inner.urlSession(
            session,
            task: task,
            willPerformHTTPRedirection: response,
            newRequest: request,
            completionHandler: completionHandler
        )
    }

    package func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        record("taskChallenge")
        inner.urlSession(
            session,
            task: task,
            didReceive: challenge,
            completionHandler: completionHandler
        )
    }

    package func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        record("needNewBodyStream")
        inner.urlSession(session, task: task, needNewBodyStream: completionHandler)
    }

    package func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        record("needNewBodyStreamFrom")
        inner.urlSession(
            session,
            task: task,
            needNewBodyStreamFrom: offset,
            completionHandler: completionHandler
        )
    }

    package func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        record("didReceiveResponse")
        inner.urlSession(
            session,
            dataTask: dataTask,
            didReceive: response,
            completionHandler: completionHandler
        )
    }

    package func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        record("willCacheResponse")
        inner.urlSession(
            session,
            dataTask: dataTask,
            willCacheResponse: proposedResponse,
            completionHandler: completionHandler
        )
    }
}
