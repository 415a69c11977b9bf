import FerrySystem
import FerryWire
import Foundation
import FoundationNetworking
import Synchronization

/// The events of a background session without a delegate, until the app takes them.
///
/// Nothing is acknowledged before the app has dealt with it. What it never takes stays with the daemon.
final class UnreadEvents: Sendable {
    /// The end of a task.
    struct End: Sendable {
        let task: URLSessionTask
        /// A download's file, or the body of the response to an upload.
        var file: FinishedFile?
        var error: (any Error)?
        /// Called when the app has dealt with it: further events may be read.
        var didDeliver: (@Sendable () -> Void)?
    }

    /// An event for whoever reads the session's events.
    enum Event: Sendable {
        case progress(URLSessionTask)
        case end(End)
        case challenge(URLSession.Challenge)
        /// All events that the app was started for were in the queue before this one.
        case finished
    }

    private struct State {
        var queue: [Event] = []
        /// The tasks whose progress is in the queue.
        var progressed: Set<Int> = []
        /// Why the session is unavailable.
        var failure: URLError?
        var isClosed = false
        var isFollowed = false
        /// Whether the session was cancelled: what nobody reads is left with the daemon.
        var isAbandoned = false
        var readerCount = 0
        /// Called once when there is something to read.
        var waiting: [@Sendable () -> Void] = []
        var transfers = FileTransfers()
        /// How the daemon is told that the app has dealt with the end of a task.
        var acknowledgements: [Int: @Sendable () -> Void] = [:]

        var hasNews: Bool { !queue.isEmpty || failure != nil || isClosed }
    }

    /// The queue for calls on files, which may take as long as their disk does to answer.
    let files = BlockingQueue(label: "ferry.events", threadLimit: 4)
    private let state = Mutex(State())
    private let onFollow: @Sendable () -> Void
    private let onUnread: @Sendable () -> Void

    /// Makes an empty queue.
    ///
    /// - Parameters:
    ///   - onFollow: Called when the app begins to take events.
    ///   - onUnread: Called when a task has ended, and the app has not begun to take events.
    init(
        onFollow: @escaping @Sendable () -> Void,
        onUnread: @escaping @Sendable () -> Void
    ) {
        self.onFollow = onFollow
        self.onUnread = onUnread
    }

    /// Whether the app has begun to take events.
    var isFollowed: Bool { state.withLock { $0.isFollowed } }

    /// Records that the app takes events.
    func follow() {
        let isFirst = state.withLock { state in
            defer { state.isFollowed = true }
            return !state.isFollowed
        }
        if isFirst { onFollow() }
    }

    /// Performs a call on files.
    func perform<T: Sendable>(_ call: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            files.perform { continuation.resume(returning: call()) }
        }
    }
}

// MARK: - What the session reports

extension UnreadEvents {
    /// Adds a task's progress, unless it is in the queue, or nobody reads it.
    func appendProgress(of task: URLSessionTask) {
        guard task.fileTransfer == nil else { return }
        append { state in
            guard state.readerCount > 0, state.progressed.insert(task.taskIdentifier).inserted
            else { return }
            state.queue.append(.progress(task))
        }
    }

    /// Adds the end of a task.
    func append(_ end: End) {
        if let description = end.task.fileTransfer, let task = end.task as? URLSessionDownloadTask {
            return append(end, of: task, description.key)
        }
        var end = end
        // A slow loop holds further events up; where nobody reads, those about files must not wait.
        if !state.withLock({ $0.readerCount > 0 }) {
            end.didDeliver?()
            end.didDeliver = nil
        }
        append(.end(end))
        noteEnd()
    }

    private func append(
        _ end: End,
        of task: URLSessionDownloadTask,
        _ key: FileTransferDescription.Key
    ) {
        end.didDeliver?()
        var end = end
        end.didDeliver = nil
        let transfer = state.withLock { $0.transfers.transfer(of: task, key) }
        if transfer.end(end) { noteEnd() } else { acknowledge(end) }
    }

    /// Reports an end that nobody takes yet, and drops it if nobody will.
    private func noteEnd() {
        if !isFollowed { onUnread() }
        drop()
    }

    /// Adds any other event.
    func append(_ event: Event) { append { $0.queue.append(event) } }

    /// Records that the session is unavailable.
    func fail(_ error: URLError) { append { $0.failure = error } }

    /// Records that the session has ended.
    func close() {
        append { state in
            state.isClosed = true
            (state.acknowledgements, state.transfers) = ([:], FileTransfers())
        }
    }

    /// Records how the daemon is told that the app has dealt with the end of a task.
    func expect(endOf task: Int, acknowledge: @escaping @Sendable () -> Void) {
        state.withLock { $0.acknowledgements[task] = acknowledge }
    }

    private func append(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            change(&state)
            guard state.hasNews else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for reader in waiting { reader() }
    }
}

// MARK: - What the app takes

extension UnreadEvents {
    /// Begins to read; progress is recorded from now on.
    func beginReading() {
        follow()
        state.withLock { state in
            state.readerCount += 1
            // The session is tried again.
            state.failure = nil
        }
    }

    /// Ends reading.
    ///
    /// - Parameter event: What the loop has not dealt with; the next one gets it.
    func endReading(_ event: Event?) {
        append { state in
            state.readerCount -= 1
            if let event { state.queue.insert(event, at: 0) }
        }
        drop()
    }

    /// Takes the oldest event out of the queue.
    ///
    /// - Returns: The event; nil if there is none, and whether there will be one.
    /// - Throws: Why the session is unavailable.
    func next() throws(URLError) -> (event: Event?, isClosed: Bool) {
        try state.withLock { state throws(URLError) in
            guard !state.queue.isEmpty else {
                if let failure = state.failure { throw failure }
                return (nil, state.isClosed)
            }
            let event = state.queue.removeFirst()
            if case .progress(let task) = event { state.progressed.remove(task.taskIdentifier) }
            return (event, false)
        }
    }

    /// Calls `reader` once when there is something to read.
    func wait(_ reader: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            if !state.hasNews { state.waiting.append(reader) }
            return state.hasNews
        }
        if isDue { reader() }
    }

    /// Ends a task whose end the app has dealt with.
    func acknowledge(_ end: End) {
        let identifier = end.task.taskIdentifier
        state.withLock { $0.acknowledgements.removeValue(forKey: identifier) }?()
        finish(end)
        // Not before: a call would find the task, and wait for another end of it.
        state.withLock { $0.transfers.remove(end.task) }
    }

    private func finish(_ end: End) {
        end.task.end()
        end.didDeliver?()
    }

    /// Leaves the ends that nobody reads with the daemon, now and later, so that the session can end.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        drop()
    }

    /// Drops what nobody reads, if the session was cancelled.
    private func drop() {
        let ends = state.withLock { state -> [End] in
            guard state.isAbandoned else { return [] }
            var ends: [End] = []
            if state.readerCount == 0 {
                ends = state.queue.compactMap { if case .end(let end) = $0 { end } else { nil } }
                state.queue = []
            }
            for transfer in state.transfers.all where !transfer.isAwaited {
                guard let end = transfer.end else { continue }
                state.transfers.remove(end.task)
                ends.append(end)
            }
            for end in ends { state.acknowledgements[end.task.taskIdentifier] = nil }
            return ends
        }
        for end in ends { finish(end) }
    }
}

// MARK: - Transfers that belong to a request and a path

extension UnreadEvents {
    /// Records what the daemon knows of the transfers of earlier launches.
    func begin(left: [FileTransferDescription], ended: [Wire.EndedTask]) {
        state.withLock { $0.transfers.begin(left: left, ended: ended) }
    }

    /// Returns whether an earlier launch has saved a file in this run, once: the next call loads it again.
    func takeSaved(_ key: FileTransferDescription.Key) -> Bool {
        state.withLock { $0.transfers.takeSaved(key) }
    }

    /// Returns the transfer for a request and a path, if there is one.
    func transfer(_ key: FileTransferDescription.Key, of core: SessionCore) -> FileTransfer? {
        state.withLock { $0.transfers.transfer(key, among: core.tasks) }
    }

    /// Returns the transfer for a request and a path; makes its task if there is none.
    func transfer(
        _ key: FileTransferDescription.Key,
        of core: SessionCore,
        orElse make: (FileTransferDescription) throws(URLError) -> URLSessionDownloadTask
    ) throws(URLError) -> FileTransfer {
        try state.withLock { state throws(URLError) in
            try state.transfers.transfer(key, among: core.tasks, orElse: make)
        }
    }

    /// Ends a call for a transfer.
    func leave(_ transfer: FileTransfer) {
        transfer.leave()
        drop()
    }

    /// Cancels a transfer; its end is of no interest.
    func cancel(_ transfer: FileTransfer) {
        state.withLock { $0.transfers.release(transfer) }
        transfer.task.cancel()
        if let end = transfer.cancel(), !transfer.isAwaited { acknowledge(end) }
    }

    /// Forgets why the session was unavailable: it is open, or is tried again.
    func forgetFailure() { state.withLock { $0.failure = nil } }

    /// Why the session is unavailable, if it is.
    var failure: URLError? { state.withLock { $0.failure } }
}

extension URLSessionTask {
    /// Passes a message to whoever takes the session's events.
    ///
    /// - Returns: Whether it is delivered with that.
    func pass(_ delivery: Delivery, to unread: UnreadEvents) -> Bool {
        switch delivery.message {
        case .resumed, .progressed, .sent: unread.appendProgress(of: self)
        case .finished(let file): storage.withLock { $0.file = file }
        case .completed(let error):
            complete(error)
            let end = UnreadEvents.End(
                task: self,
                file: storage.withLock { $0.file },
                error: error,
                didDeliver: delivery.didDeliver
            )
            unread.append(end)
            return false
        case .sentAnew, .data, .socket, .call: break
        }
        return true
    }
}
