import FerrySystem
import FerryTransfer
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
