import Ferry
import Foundation

/// Forwards every message and every question in the `async` form to another delegate, as proxies do.
package final class AsyncForwardingDelegate: RecordingDelegate, URLSessionDataDelegate,
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
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        record("sessionChallenge")
        return await inner.urlSession(session, didReceive: challenge)
    }

    package func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
        record("willBeginDelayedRequest")
        return await inner.urlSession(session, task: task, willBeginDelayedRequest: request)
    }

    package func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest? {
        record("redirection")
        return await inner.urlSession(
            session,
            task: task,
            willPerformHTTPRedirection: response,
            newRequest: request
        )
    }

    package func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        record("taskChallenge")
        return await inner.urlSession(session, task: task, didReceive: challenge)
    }

    package func urlSession(
        _ session: URLSession,
        needNewBodyStreamForTask task: URLSessionTask
    ) async -> InputStream? {
        record("needNewBodyStream")
        return await inner.urlSession(session, needNewBodyStreamForTask: task)
    }

    package func urlSession(
        _ session: URLSession,
        needNewBodyStreamForTask task: URLSessionTask,
        from offset: Int64
    ) async -> InputStream? {
        record("needNewBodyStreamFrom")
        return await inner.urlSession(session, needNewBodyStreamForTask: task, from: offset)
    }

    package func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        record("didReceiveResponse")
        return await inner.urlSession(session, dataTask: dataTask, didReceive: response)
    }

    package func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse? {
        record("willCacheResponse")
        return await inner.urlSession(
            session,
            dataTask: dataTask,
            willCacheResponse: proposedResponse
        )
    }
}
