import FerrySystem
import FerryTransfer
package import Foundation
import FoundationNetworking
@preconcurrency import Glibc
import Synchronization

/// The file of a complete download.
struct FinishedFile: Hashable, Sendable {
    /// Whether the app can be given a file.
    enum Presence: Hashable, Sendable {
        /// It is there.
        case here
        /// An earlier launch of the app has taken it, and ended before the daemon had recorded that.
        case taken
        /// It was removed from its directory, and not by the app.
        case removed
        /// Its directory is not there: its disk is missing, or this process sees other disks than the daemon.
        case away
    }

    /// Its absolute path.
    let path: String
    /// What its directory is recognized by; nil if the daemon has not said that.
    private let directoryIdentity: String?

    /// Makes the file of a download.
    ///
    /// - Parameters:
    ///   - path: Its absolute path.
    ///   - directoryIdentity: What its directory is recognized by, if known: for a file of a background session.
    init(path: String, directoryIdentity: String? = nil) {
        self.path = path
        self.directoryIdentity = directoryIdentity
    }

    /// Where it is.
    var location: URL {
        // Without the hint Foundation would check whether it is a directory, on a disk that may not respond.
        URL(filePath: path, directoryHint: .notDirectory)
    }

    /// Removes the file; an app that keeps it has moved it by then.
    func remove() { _ = unlink(path) }

    /// The path of the directory that it is in.
    var directory: String {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns whether the file is there; may take as long as its disk does to answer.
    func presence() -> Presence {
        var status = stat()
        if lstat(path, &status) == 0 { return .here }
        guard errno == ENOENT, let place = try? Directory(opening: directory) else { return .away }
        if let directoryIdentity, (try? DiskIdentity(of: place))?.text != directoryIdentity {
            return .away
        }
        // Its disk may have been mounted between these two looks.
        if lstat(path, &status) == 0 { return .here }
        return lstat(mark, &status) == 0 ? .taken : .removed
    }

    /// Marks the file as one of which the app is being told: if it is missing later, the app has taken it.
    ///
    /// The daemon removes the mark when the app has acknowledged the file.
    func markDelivered() {
        // A link is made by one call. If that fails, a file that is taken counts as removed after a crash.
        _ = symlink("told", mark)
    }

    private var mark: String { path + PartialFile.toldSuffix }
}

/// A delegate that is told that a complete file cannot be delivered yet.
package protocol AbsentFileObserver {
    /// The complete file of a task is not there; it is delivered when it is.
    ///
    /// - Parameters:
    ///   - session: The task's session.
    ///   - downloadTask: The task.
    ///   - directory: The directory that is missing, or is not the one that the file is in.
    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        waitsForFileIn directory: URL
    )
}

extension URLSessionTask {
    /// Whether a complete file is delivered to this task's app only if it is there.
    ///
    /// Without a delegate nothing is acknowledged, and the file stays with the daemon.
    var awaitsFile: Bool { core.isBackground && core.delegate != nil }

    /// Finds out whether a complete file can be delivered, and prepares what follows.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - delivery: The message with the file. It is taken back while the file is away.
    /// - Returns: Where the file is.
    func prepare(_ file: FinishedFile, _ delivery: Delivery) -> FinishedFile.Presence {
        let presence = file.presence()
        switch presence {
        case .here: file.markDelivered()
        case .taken: break
        case .removed:
            storage.withLock {
                $0.fileFailure = URLError(removed: file, url: $0.originalRequest?.url)
            }
        case .away:
            storage.withLock { $0.deliveries.putBack(delivery) }
            wait(for: file)
        }
        return presence
    }

    /// Delivers the message that was taken back, and those after it, when the file may be there.
    private func wait(for file: FinishedFile) {
        let isFirst = storage.withLock { storage in
            defer { storage.isAwaitingFile = true }
            return !storage.isAwaitingFile
        }
        if isFirst, let session = storage.withLock({ $0.session }),
            let observer = core.delegate as? any AbsentFileObserver,
            let download = self as? URLSessionDownloadTask
        {
            observer.urlSession(
                session,
                downloadTask: download,
                waitsForFileIn: URL(filePath: file.directory, directoryHint: .isDirectory)
            )
        }
        AbsentFiles.shared.wait(for: file) { [self] in core.delegateCalls.enqueue(self) }
    }
}

extension URLError {
    /// The error of a task whose complete file was removed before the app was told of it.
    init(removed file: FinishedFile, url: URL?) {
        let path = file.path
        self = URLError(
            .fileDoesNotExist,
            url: url,
            reason: "\(path) was complete, and was removed before it was delivered."
        )
        .adding(path, forKey: NSFilePathErrorKey)
    }
}

/// The complete files that are not there, and who waits for them.
///
/// A thread waits for each of their directories, without a wake-up until something is mounted or a directory of its path
/// changes.
final class AbsentFiles: Sendable {
    static let shared = AbsentFiles()

    private struct Wait: Sendable {
        var file: FinishedFile
        var action: @Sendable () -> Void
    }

    private struct Place: Sendable {
        var waits: [Wait] = []
        /// What the thread waits for.
        var changes: DiskChanges?
    }

    private let places = Mutex<[String: Place]>([:])

    /// Calls an action when a file may be there, once, on a thread of its own.
    func wait(for file: FinishedFile, _ action: @escaping @Sendable () -> Void) {
        let directory = file.directory
        let isFirst = places.withLock { places in
            defer {
                places[directory, default: Place()].waits.append(Wait(file: file, action: action))
                places[directory]?.changes?.interrupt()
            }
            return places[directory] == nil
        }
        guard isFirst else { return }
        let queue = BlockingQueue(label: "ferry.absent")
        queue.perform { [self] in
            watch(directory)
            withExtendedLifetime(queue) {}
        }
    }

    private func watch(_ directory: String) {
        while true {
            // What is found after this was so before, or is reported.
            let changes = DiskChanges(about: directory)
            let waits = places.withLock { places in
                places[directory]?.changes = changes
                return places[directory]?.waits ?? []
            }
            let isAway = waits.map { $0.file.presence() == .away }
            let left = zip(waits, isAway).filter(\.1).map(\.0)
            let isDone = places.withLock { places in
                // Others may have been added meanwhile.
                let added = places[directory]?.waits.dropFirst(waits.count) ?? []
                places[directory]?.waits = left + added
                if left.isEmpty, added.isEmpty { places[directory] = nil }
                return places[directory] == nil
            }
            for (wait, isAway) in zip(waits, isAway) where !isAway { wait.action() }
            if isDone { return }
            changes.wait(atMost: nil)
        }
    }
}
