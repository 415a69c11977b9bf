import Ferry
import Foundation

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
