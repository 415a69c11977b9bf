import FerrySystem
import Foundation
import Synchronization

extension DownloadDirectory {
    /// How long a file stays that nobody touches.
    ///
    /// A process that dies leaves its partial files, and resume data that is never used as well. Which of
    /// them somebody still has resume data for, nobody knows.
    static let greatestAge: TimeInterval = 30 * 24 * 60 * 60

    private static let hasSwept = Mutex(false)

    /// Removes old files in the background, once per process.
    static func sweepOnce(_ directory: Directory) {
        let isFirst = hasSwept.withLock { hasSwept in
            defer { hasSwept = true }
            return !hasSwept
        }
        guard isFirst else { return }
        AppFiles.queue.perform { sweep(directory, now: Date()) }
    }

    /// Removes the files of downloads that are older than ``greatestAge``.
    static func sweep(_ directory: Directory, now: Date) {
        // What cannot be read or removed now is tried again by the next process.
        for name in (try? directory.names()) ?? [] where isDownload(name) {
            guard let status = try? directory.status(of: name), status.isRegularFile,
                now.timeIntervalSince1970 - TimeInterval(status.modificationTime) > greatestAge
            else { continue }
            try? directory.remove(name)
        }
    }

    private static func isDownload(_ name: String) -> Bool {
        // A partial file has companions, whose names begin with its own.
        name.contains(".partial")
            || name.hasPrefix("CFNetworkDownload_") && name.hasSuffix(".tmp")
    }
}
