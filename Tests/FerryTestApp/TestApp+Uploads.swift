import Ferry
import Foundation

extension TestApp: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        let identifier = task.taskIdentifier
        events.write("sent \(identifier) \(totalBytesSent) of \(totalBytesExpectedToSend)")
        let limit = options.cancelAt ?? options.continueUploadAt ?? .max
        guard let upload = task as? URLSessionUploadTask, identifier == 1, totalBytesSent >= limit,
            upload.state == .running
        else { return }
        guard options.cancelAt == nil else { return upload.cancel() }
        upload.cancel(byProducingResumeData: { [events] data in
            events.write("resume-data \(data == nil ? "none" : "some")")
            if let data { session.uploadTask(withResumeData: data).resume() }
        })
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        events.write("response \(dataTask.taskIdentifier)")
        completionHandler(.allow)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive data: Data
    ) {
        let status = (dataTask.response as? HTTPURLResponse)?.statusCode ?? 0
        let kind = dataTask is URLSessionUploadTask ? "data" : "data-of-no-upload"
        let text = String(decoding: data, as: UTF8.self)
        events.write("\(kind) \(dataTask.taskIdentifier) \(status) \(text)")
    }
}

/// What the README's first lines of code do, as a program of its own: it makes a download and ends.
final class Snippet: NSObject, URLSessionDownloadDelegate {
    static func run(_ url: URL) {
        let session = URLSession(
            configuration: .background(withIdentifier: "downloads"),
            delegate: Snippet(),
            delegateQueue: nil
        )
        session.downloadTask(with: url).resume()
    }

    func urlSession(
        _: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo file: URL
    ) {}
}
