import FerrySystem
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
    }

    /// An event for whoever reads the session's events.
    enum Event: Sendable {
        case progress(URLSessionTask)
        case end(End)
        case challenge(URLSession.Challenge)
        /// All events that the app was started for are in the queue before this one.
        case finished
        /// The session is unavailable.
        case failure(any Error)
    }

    private struct State {
        var queue: [Event] = []
        /// The tasks whose progress is in the queue.
        var progressed: Set<Int> = []
        var isClosed = false
        var isReading = false
        var isFollowed = false
        /// Whether the session was cancelled before anybody took events.
        var isAbandoned = false
        /// Called once when there is something in the queue, or the session has ended.
        var readers: [@Sendable () -> Void] = []
        /// The transfers that belong to a request and a path.
        var transfers: [SavedTransfer.Key: URLSessionDownloadTask] = [:]
        /// The ends of those transfers.
        var ends: [Int: End] = [:]
        /// Called when such a transfer has ended.
        var waiters: [Int: [@Sendable (End) -> Void]] = [:]
        var acknowledgements: [Int: @Sendable () -> Void] = [:]
        var run: Run?
    }

    /// The queue for calls on files, which may take as long as their disk does to answer.
    let files = BlockingQueue(label: "ferry.events")
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

    /// Records that the app takes events.
    func follow() {
        let isFirst = state.withLock { state in
            defer { state.isFollowed = true }
            return !state.isFollowed
        }
        if isFirst { onFollow() }
    }
}

// MARK: - What the session reports

extension UnreadEvents {
    /// Adds a task's progress, unless it is in the queue, or nobody reads it.
    func appendProgress(of task: URLSessionTask) {
        guard task.saved == nil else { return }
        append { state in
            guard state.isReading, state.progressed.insert(task.taskIdentifier).inserted else {
                return false
            }
            state.queue.append(.progress(task))
            return true
        }
    }

    /// Adds the end of a task.
    func append(_ end: End) {
        let (isFollowed, isAbandoned) = state.withLock { ($0.isFollowed, $0.isAbandoned) }
        guard isFollowed || !isAbandoned else { return end.task.end() }
        if !isFollowed { onUnread() }
        guard end.task.saved == nil else { return appendEndOfFile(end) }
        append(.end(end))
    }

    /// Adds any other event.
    func append(_ event: Event) {
        append { state in
            state.queue.append(event)
            return true
        }
    }

    /// Records that the session has ended.
    func close() {
        append { state in
            state.isClosed = true
            return true
        }
    }

    /// Records how the daemon is told that the app has dealt with the end of a task.
    func expect(endOf task: Int, acknowledge: @escaping @Sendable () -> Void) {
        state.withLock { $0.acknowledgements[task] = acknowledge }
    }

    private func append(_ change: (inout State) -> Bool) {
        let readers = state.withLock { state -> [@Sendable () -> Void] in
            guard change(&state) else { return [] }
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader() }
    }

    private func appendEndOfFile(_ end: End) {
        let waiters = state.withLock { state in
            state.ends[end.task.taskIdentifier] = end
            return state.waiters.removeValue(forKey: end.task.taskIdentifier)
        }
        for waiter in waiters ?? [] { waiter(end) }
    }
}

// MARK: - What the app takes

extension UnreadEvents {
    /// Begins to read; progress is recorded from now on.
    func beginReading() {
        follow()
        state.withLock { $0.isReading = true }
    }

    /// Takes the oldest event out of the queue.
    ///
    /// - Returns: The event; nil if there is none, and whether there will be one.
    func next() -> (event: Event?, isClosed: Bool) {
        state.withLock { state in
            guard !state.queue.isEmpty else { return (nil, state.isClosed) }
            let event = state.queue.removeFirst()
            if case .progress(let task) = event { state.progressed.remove(task.taskIdentifier) }
            return (event, false)
        }
    }

    /// Puts events back in front of the queue: nobody has dealt with them.
    func putBack(_ events: [Event]) {
        append { state in
            state.queue.insert(contentsOf: events, at: 0)
            return true
        }
    }

    /// Calls `reader` once: when there is something in the queue, or the session has ended.
    func wait(_ reader: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            guard state.queue.isEmpty, !state.isClosed else { return true }
            state.readers.append(reader)
            return false
        }
        if isDue { reader() }
    }

    /// Ends a task whose end the app has dealt with.
    func acknowledge(_ end: End) {
        let task = end.task.taskIdentifier
        let acknowledge = state.withLock { state in
            if let key = end.task.saved?.key, state.transfers[key] === end.task {
                state.transfers[key] = nil
            }
            state.ends[task] = nil
            return state.acknowledgements.removeValue(forKey: task)
        }
        acknowledge?()
        end.task.end()
    }

    /// Ends all tasks whose ends nobody takes, now and later; the ends stay with the daemon.
    ///
    /// Has no effect once the app takes events.
    func abandon() {
        let ends = state.withLock { state -> [End] in
            guard !state.isFollowed else { return [] }
            state.isAbandoned = true
            defer { (state.queue, state.ends, state.acknowledgements) = ([], [:], [:]) }
            return state.queue.compactMap { if case .end(let end) = $0 { end } else { nil } }
                + state.ends.values
        }
        for end in ends { end.task.end() }
    }
}

// MARK: - Transfers that belong to a request and a path

extension UnreadEvents {
    /// What is known of the run of this launch.
    struct Run: Sendable {
        /// When it began, in microseconds since 1970.
        var number: Int64
        /// The transfers whose files earlier launches have saved in it.
        var saved: Set<SavedTransfer.Key>
    }

    /// Returns the transfer for a request and a path; makes it if there is none.
    ///
    /// - Parameters:
    ///   - key: The request and the path.
    ///   - tasks: The session's tasks.
    ///   - make: Makes the transfer.
    /// - Returns: The transfer.
    func transfer(
        _ key: SavedTransfer.Key,
        among tasks: [URLSessionTask],
        orElse make: (SavedTransfer) -> URLSessionDownloadTask
    ) -> URLSessionDownloadTask {
        state.withLock { state in
            let known =
                state.transfers[key]
                ?? tasks.lazy
                .compactMap { $0 as? URLSessionDownloadTask }.first { $0.saved?.key == key }
            let task = known ?? make(SavedTransfer(key, run: state.run?.number ?? 0))
            state.transfers[key] = task
            return task
        }
    }

    /// The run of this launch; nil before it was looked for.
    var run: Run? { state.withLock { $0.run } }

    /// Records the run of this launch, unless that is known.
    func begin(_ run: Run) {
        state.withLock { $0.run = $0.run ?? run }
    }

    /// Returns whether an earlier launch has saved a file in this run, once: the next call loads it again.
    func takeSaved(_ key: SavedTransfer.Key) -> Bool {
        state.withLock { $0.run?.saved.remove(key) != nil }
    }

    /// Whether the end of a transfer is not acknowledged.
    func holds(_ end: End) -> Bool {
        state.withLock { $0.ends[end.task.taskIdentifier]?.task === end.task }
    }

    /// Calls `waiter` when a transfer has ended.
    func wait(for task: URLSessionDownloadTask, _ waiter: @escaping @Sendable (End) -> Void) {
        let end = state.withLock { state -> End? in
            if let end = state.ends[task.taskIdentifier] { return end }
            state.waiters[task.taskIdentifier, default: []].append(waiter)
            return nil
        }
        if let end { waiter(end) }
    }
}

extension URLSessionTask {
    /// Passes a message to whoever takes the session's events.
    func pass(_ delivery: Delivery, to unread: UnreadEvents) {
        switch delivery.message {
        case .resumed, .progressed, .sent: unread.appendProgress(of: self)
        case .finished(let file): storage.withLock { $0.file = file }
        case .completed(let error):
            complete(error)
            let end = UnreadEvents.End(task: self, file: storage.withLock { $0.file }, error: error)
            unread.append(end)
        case .sentAnew, .data, .socket, .call: break
        }
    }
}
