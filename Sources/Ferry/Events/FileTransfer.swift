import FerrySystem
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking
import Synchronization

/// A transfer that belongs to a request and the path of its file, for all calls that wait for it in this launch.
final class FileTransfer: Sendable {
    /// What the calls get.
    enum Outcome: Sendable {
        /// The file is at its target.
        case saved
        /// An earlier launch has taken the file, and it is not at its target.
        case missing
        /// There is no file.
        case failed(any Error)
        /// The file is complete, and cannot be moved to its target now; the next call tries again.
        case refused(URLError)
        /// The disk of the complete file is missing.
        case away(FinishedFile)
    }

    private struct State {
        var end: UnreadEvents.End?
        var waiters: [@Sendable () -> Void] = []
        /// Whether a call of this launch has prepared and resumed the task.
        var isBegun = false
        /// How many calls want the file.
        var callCount = 0
        /// Whether a call has cancelled the task.
        var isCancelled = false
    }

    let key: FileTransferDescription.Key
    let task: URLSessionDownloadTask
    private let state = Mutex(State())
    /// What has become of the file, once that is final; held while the file is moved.
    private let outcome = Mutex<Outcome?>(nil)

    init(_ key: FileTransferDescription.Key, _ task: URLSessionDownloadTask) {
        (self.key, self.task) = (key, task)
    }

    /// Whether a call wants the file.
    var isAwaited: Bool { state.withLock { $0.callCount > 0 } }

    /// The end of the task, if it is there.
    var end: UnreadEvents.End? { state.withLock { $0.end } }

    /// Begins a call; the first one of this launch resumes the task.
    func begin(_ prepare: (URLSessionDownloadTask) -> Void) {
        prepare(task)
        let isFirst = state.withLock { state in
            state.callCount += 1
            defer { state.isBegun = true }
            return !state.isBegun
        }
        if isFirst { task.resume() }
    }

    /// Ends a call.
    func leave() { state.withLock { $0.callCount -= 1 } }

    /// Records the end of the task.
    ///
    /// - Returns: false if its call has cancelled the task, and nobody wants the end.
    func end(_ end: UnreadEvents.End) -> Bool {
        let (waiters, isUnwanted) = state.withLock { state in
            state.end = end
            defer { state.waiters = [] }
            return (state.waiters, state.isCancelled && state.callCount == 0)
        }
        for waiter in waiters { waiter() }
        return !isUnwanted
    }

    /// Calls `waiter` once, when the task has ended.
    func wait(_ waiter: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            if state.end == nil { state.waiters.append(waiter) }
            return state.end != nil
        }
        if isDue { waiter() }
    }

    /// Records that a call has cancelled the task.
    ///
    /// - Returns: The end, if it is there.
    func cancel() -> UnreadEvents.End? {
        state.withLock { state in
            state.isCancelled = true
            return state.end
        }
    }

    /// Moves the file of the task, which has ended, to its target; one caller after the other.
    ///
    /// The call may take as long as the disks do.
    ///
    /// - Parameters:
    ///   - saved: The target.
    ///   - acknowledge: Called once, when the outcome is final.
    /// - Returns: What has become of the file; the same for all callers once it is final.
    func settle(_ saved: SavedFile, acknowledge: (UnreadEvents.End) -> Void) -> Outcome {
        guard let end else { return .missing }
        return outcome.withLock { outcome in
            if let outcome { return outcome }
            let found = Self.move(end, to: saved)
            switch found {
            case .saved, .missing, .failed:
                if case .saved = found { recordLocation(of: saved) }
                acknowledge(end)
                outcome = found
            case .away, .refused: break
            }
            return found
        }
    }

    private func recordLocation(of saved: SavedFile) {
        let location = URL(filePath: saved.path, directoryHint: .notDirectory)
        task.storage.withLock { $0.savedLocation = location }
    }

    private static func move(_ end: UnreadEvents.End, to saved: SavedFile) -> Outcome {
        if let error = end.error { return .failed(error) }
        let url = end.task.originalRequest?.url
        // Another file may have the name: that of before.
        let isThere = saved.byteCount == end.task.countOfBytesReceived
        guard let file = end.file else { return isThere ? .saved : .missing }
        switch file.presence() {
        case .here:
            file.markDelivered()
            do throws(URLError) {
                try saved.take(file, from: url)
                return .saved
            } catch {
                return .refused(error)
            }
        case .taken: return isThere ? .saved : .missing
        case .removed: return .failed(URLError(removed: file, url: url))
        case .away: return .away(file)
        }
    }
}

/// The transfers of a session that belong to requests and paths.
struct FileTransfers {
    /// What is known of the run of this launch.
    private struct Run {
        /// When it began, in microseconds since 1970.
        var number: Int64
        /// The transfers whose files earlier launches have saved in it.
        var saved: Set<FileTransferDescription.Key> = []
        /// Those that this launch has come to.
        var met: Set<FileTransferDescription.Key> = []
    }

    private var transfers: [FileTransferDescription.Key: FileTransfer] = [:]
    private var byTask: [Int: FileTransfer] = [:]
    private var run: Run?

    /// All of them.
    var all: [FileTransfer] { Array(byTask.values) }

    /// Records the run of this launch: that of the transfers that are left, or a new one.
    ///
    /// - Parameters:
    ///   - left: The transfers that are left.
    ///   - ended: What the daemon remembers of those that have ended.
    mutating func begin(left: [FileTransferDescription], ended: [Wire.EndedTask]) {
        guard run == nil, let number = left.map(\.run).max() else { return }
        let saved = ended.filter { $0.failure == nil && $0.discarded != true }
            .compactMap { FileTransferDescription($0.description) }
            .filter { $0.run == number }
        run = Run(number: number, saved: Set(saved.map(\.key)).subtracting(left.map(\.key)))
    }

    /// Returns whether an earlier launch has saved a file in this run, once: the next call loads it again.
    mutating func takeSaved(_ key: FileTransferDescription.Key) -> Bool {
        guard run?.saved.remove(key) != nil else { return false }
        run?.met.insert(key)
        return true
    }

    /// Returns the transfer for a request and a path; makes it if there is none.
    ///
    /// - Parameters:
    ///   - key: The request and the path.
    ///   - tasks: The session's tasks.
    ///   - make: Makes the task.
    /// - Returns: The transfer.
    /// - Throws: Why no task can be made.
    mutating func transfer(
        _ key: FileTransferDescription.Key,
        among tasks: [URLSessionTask],
        orElse make: (FileTransferDescription) throws(URLError) -> URLSessionDownloadTask
    ) throws(URLError) -> FileTransfer {
        if let known = transfer(key, among: tasks) { return known }
        // Who asks once more begins anew.
        if run?.met.contains(key) ?? true {
            run = Run(number: Int64(Date().timeIntervalSince1970 * 1_000_000))
        }
        let transfer = FileTransfer(
            key,
            try make(FileTransferDescription(key, run: run?.number ?? 0))
        )
        run?.met.insert(key)
        add(transfer)
        return transfer
    }

    /// Returns the transfer for a request and a path, if there is one.
    mutating func transfer(
        _ key: FileTransferDescription.Key,
        among tasks: [URLSessionTask]
    ) -> FileTransfer? {
        if let transfer = transfers[key] { return transfer }
        let task = tasks.lazy.compactMap { $0 as? URLSessionDownloadTask }
            .first { $0.fileTransfer?.key == key && byTask[$0.taskIdentifier] == nil }
        guard let task else { return nil }
        run?.met.insert(key)
        let transfer = FileTransfer(key, task)
        add(transfer)
        return transfer
    }

    /// Returns the transfer of a task, which may be one of an earlier launch.
    mutating func transfer(
        of task: URLSessionDownloadTask,
        _ key: FileTransferDescription.Key
    ) -> FileTransfer {
        if let transfer = byTask[task.taskIdentifier] { return transfer }
        let transfer = FileTransfer(key, task)
        add(transfer)
        return transfer
    }

    private mutating func add(_ transfer: FileTransfer) {
        byTask[transfer.task.taskIdentifier] = transfer
        transfers[transfer.key] = transfers[transfer.key] ?? transfer
    }

    /// Forgets a transfer of which the app knows the end.
    mutating func remove(_ task: URLSessionTask) {
        guard let transfer = byTask.removeValue(forKey: task.taskIdentifier) else { return }
        release(transfer)
    }

    /// Has the next call for the same request and path make another transfer.
    mutating func release(_ transfer: FileTransfer) {
        if transfers[transfer.key] === transfer { transfers[transfer.key] = nil }
    }
}
