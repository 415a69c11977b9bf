import FerrySystem
import Foundation
import Synchronization

extension DownloadDirectory {
    /// The age at which an unused file is removed.
    ///
    /// A process that dies leaves partial files behind, and so does resume data that is never used. It is unknown for
    /// which of them resume data still exists.
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
        // Files that cannot be read or removed now are tried again by the next process.
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
