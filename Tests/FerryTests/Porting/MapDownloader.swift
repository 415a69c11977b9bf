import Ferry
import Foundation

/// Downloads maps in the background, and keeps only what a server has answered with 200.
///
/// Written for Apple's URLSession; only an import is another.
final class MapDownloader: NSObject, @unchecked Sendable {
    static let sessionIdentifier = "org.example.maps.tiles"

    /// What becomes of a map.
    enum Event: Equatable {
        case received(Int64, of: Int64)
        case saved(byteCount: Int64)
        case thrownAway(status: Int)
        case failed(URLError.Code?)
    }

    /// Called on the session's queue.
    var onEvent: ((Event) -> Void)?

    private let folder: URL
    private lazy var session = URLSession(
        configuration: .background(withIdentifier: Self.sessionIdentifier),
        delegate: self,
        delegateQueue: nil
    )

    init(folder: URL) {
        self.folder = folder
    }

    func download(_ url: URL) {
        session.downloadTask(with: url).resume()
    }
}

extension MapDownloader: URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        onEvent?(.received(totalBytesWritten, of: totalBytesExpectedToWrite))
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let response = downloadTask.response as? HTTPURLResponse
        guard response?.statusCode == 200 else {
            onEvent?(.thrownAway(status: response?.statusCode ?? 0))
            return
        }
        let name = downloadTask.originalRequest?.url?.lastPathComponent ?? "map"
        do {
            try FileManager.default.moveItem(at: location, to: folder.appendingPathComponent(name))
            onEvent?(.saved(byteCount: response?.expectedContentLength ?? -1))
        } catch {
            onEvent?(.failed(nil))
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        guard let error = error as? URLError else { return }
        onEvent?(.failed(error.code))
    }
}
