import Ferry
import Foundation

/// Downloads songs that can be paused and resumed, as a music app does.
///
/// Written for Apple's URLSession; only an import is another.
final class SongDownloader: NSObject, @unchecked Sendable {
    /// A song's download.
    struct Download {
        let url: URL
        var task: URLSessionDownloadTask?
        var isDownloading = false
        /// From 0 to 1.
        var progress: Double = 0
        var resumeData: Data?
    }

    /// What happens to a song.
    enum Event: Equatable {
        case progressed(URL, Double)
        case resumed(URL, fromOffset: Int64)
        case paused(URL)
        case finished(URL, file: URL)
        case failed(URL, URLError.Code)
    }

    /// Called on the session's queue.
    var onEvent: ((Event) -> Void)?

    private let folder: URL
    // Guards what follows: the app's thread and the session's queue both use it.
    private let lock = NSLock()
    private var downloads: [URL: Download] = [:]

    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.default
        configuration.waitsForConnectivity = false
        configuration.timeoutIntervalForRequest = 30
        configuration.httpMaximumConnectionsPerHost = 2
        configuration.httpAdditionalHeaders = ["Accept": "audio/*"]
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()

    init(folder: URL) {
        self.folder = folder
    }

    // MARK: - Buttons

    func startDownload(_ url: URL) {
        lock.withLock {
            var download = Download(url: url)
            download.task = session.downloadTask(with: url)
            download.task?.resume()
            download.isDownloading = true
            downloads[url] = download
        }
    }

    func pauseDownload(_ url: URL) {
        let task = lock.withLock { () -> URLSessionDownloadTask? in
            guard downloads[url]?.isDownloading == true else { return nil }
            downloads[url]?.isDownloading = false
            return downloads[url]?.task
        }
        task?.cancel(byProducingResumeData: { data in
            self.lock.withLock { self.downloads[url]?.resumeData = data }
            self.onEvent?(.paused(url))
        })
    }

    func resumeDownload(_ url: URL) {
        lock.withLock {
            guard var download = downloads[url] else { return }
            if let resumeData = download.resumeData {
                download.task = session.downloadTask(withResumeData: resumeData)
            } else {
                download.task = session.downloadTask(with: download.url)
            }
            download.task?.resume()
            download.resumeData = nil
            download.isDownloading = true
            downloads[url] = download
        }
    }

    func cancelDownload(_ url: URL) {
        let download = lock.withLock { downloads.removeValue(forKey: url) }
        download?.task?.cancel()
    }

    func download(for url: URL) -> Download? {
        lock.withLock { downloads[url] }
    }

    func finish() {
        session.finishTasksAndInvalidate()
    }

    private func localFilePath(for url: URL) -> URL {
        folder.appendingPathComponent(url.lastPathComponent)
    }
}

// MARK: - URLSessionDownloadDelegate

extension SongDownloader: URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        guard let sourceURL = downloadTask.originalRequest?.url else { return }
        guard let response = downloadTask.response as? HTTPURLResponse,
            (200..<300).contains(response.statusCode)
        else {
            lock.withLock { downloads[sourceURL] = nil }
            onEvent?(.failed(sourceURL, .badServerResponse))
            return
        }
        let destination = localFilePath(for: sourceURL)
        let fileManager = FileManager.default
        try? fileManager.removeItem(at: destination)
        do {
            try fileManager.copyItem(at: location, to: destination)
            lock.withLock { downloads[sourceURL] = nil }
            onEvent?(.finished(sourceURL, file: destination))
        } catch {
            onEvent?(.failed(sourceURL, .cannotCreateFile))
        }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        guard let url = downloadTask.originalRequest?.url else { return }
        guard totalBytesExpectedToWrite != NSURLSessionTransferSizeUnknown else { return }
        let progress = Double(totalBytesWritten) / Double(totalBytesExpectedToWrite)
        lock.withLock { downloads[url]?.progress = progress }
        onEvent?(.progressed(url, progress))
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        guard let url = downloadTask.originalRequest?.url else { return }
        onEvent?(.resumed(url, fromOffset: fileOffset))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        guard let error = error as? URLError, let url = task.originalRequest?.url else { return }
        // A pause ends its task, too.
        guard error.code != .cancelled else { return }
        // What the connection has brought so far is not lost with it.
        lock.withLock {
            downloads[url]?.isDownloading = false
            downloads[url]?.resumeData =
                error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data
        }
        onEvent?(.failed(url, error.code))
    }
}
