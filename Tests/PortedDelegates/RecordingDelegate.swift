import Ferry
import Foundation

/// Notes which methods are called; what the delegates here have in common.
package class RecordingDelegate: NSObject, @unchecked Sendable {
    private let lock = NSLock()
    private var noted: [String] = []

    /// The names of the methods that were called, in order.
    package var calls: [String] {
        lock.lock()
        defer { lock.unlock() }
        return noted
    }

    func record(_ call: String) {
        lock.lock()
        defer { lock.unlock() }
        noted.append(call)
    }
}

/// Implements what it has to, and nothing else.
package final class BareDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate,
    URLSessionWebSocketDelegate
{
    package func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}
}
