public import Foundation
public import FoundationNetworking
import Synchronization

extension URLSession {
    /// Something that has happened to a task of a background session.
    public enum Event: Sendable {
        /// Bytes of a task have arrived or were sent; the task has the figures.
        ///
        /// Several such events may be one: a slow loop gets the newest figures, and no queue of old ones.
        case progress(URLSessionTask)
        /// A download is complete, and its file is at the URL.
        ///
        /// Move the file to where it belongs before the loop asks for the next event but one: it is deleted after the
        /// task's ``end(_:_:)``.
        case file(URLSessionDownloadTask, URL)
        /// The body of the response to an upload, at most 16 MiB; not sent for an empty one.
        case data(URLSessionUploadTask, Data)
        /// A task has ended, without an error or with one.
        ///
        /// A task ends without an error also if its file was taken by an earlier launch of the app.
        case end(URLSessionTask, (any Error)?)
        /// A server or a proxy wants to know something.
        ///
        /// Only where ``URLSessionConfiguration/deliversChallenges`` is true.
        case challenge(Challenge)
        /// All events were delivered for which the daemon has started the app.
        ///
        /// In place of ``URLSessionDelegate/urlSessionDidFinishEvents(forBackgroundURLSession:)``.
        case finishedEvents
    }

    /// What a server or a proxy wants to know before a task continues.
    public struct Challenge: Sendable {
        /// The task that waits for the answer.
        public let task: URLSessionTask
        /// What is asked.
        public let challenge: URLAuthenticationChallenge
        private let completion: ChallengeCompletion

        init(
            task: URLSessionTask,
            challenge: URLAuthenticationChallenge,
            completion: @escaping ChallengeCompletion.Handler
        ) {
            (self.task, self.challenge) = (task, challenge)
            self.completion = ChallengeCompletion(completion)
        }

        /// Whether it was answered.
        var isAnswered: Bool { completion.isCalled }

        /// Answers the challenge; only the first answer counts.
        ///
        /// A challenge that has no answer when the loop asks for the next event is handled by default. If the loop is left
        /// before, the next loop gets the challenge again.
        ///
        /// - Parameters:
        ///   - disposition: How the challenge is handled.
        ///   - credential: The credential for `useCredential`.
        public func answer(
            _ disposition: AuthChallengeDisposition,
            _ credential: URLCredential? = nil
        ) {
            completion.call(disposition, credential)
        }
    }

    /// The events of a background session's tasks, for a loop in place of a delegate.
    ///
    /// ```swift
    /// let session = URLSession(configuration: .background(withIdentifier: "tracks"))
    /// for try await event in session.events {
    ///     switch event {
    ///     case .file(let task, let location): try library.add(location, of: task)
    ///     case .end(let task, let error?): log("\(task.taskIdentifier): \(error)")
    ///     default: break
    ///     }
    /// }
    /// ```
    ///
    /// An event is acknowledged when the loop asks for the next one. If the app is killed in the loop's body, its next
    /// launch gets the event again, but for a file that the app has moved by then, of which it gets only the task's end. The same
    /// is true of a loop that is left with `break` or by an error: the next loop begins with the event in which the last one
    /// was left. So a loop is left by ending the session, with ``finishTasksAndInvalidate()``: it ends when the tasks have.
    ///
    /// The session must have no delegate. Once this property is used, the daemon starts the app again when the
    /// session's tasks are done, as if ``Application/delegate`` were set; see ``Application/relaunch``. Transfers of
    /// ``file(from:to:cancelsWithTask:prepare:)`` are not among the events. Two loops at once share the events: each event
    /// goes to one of them. Apple's library has no such property.
    public var events: Events {
        core.unread?.follow()
        return Events(core: core)
    }

    /// The events of a background session's tasks; see ``URLSession/events``.
    public struct Events: AsyncSequence, Sendable {
        /// An event.
        public typealias Element = Event
        /// Why the loop ends before the session does; see ``AsyncIterator/next()``.
        public typealias Failure = any Error

        let core: SessionCore

        /// Creates an iterator, with which reading begins.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(reader: EventReader(core))
        }

        /// Takes one event after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let reader: EventReader

            /// Acknowledges the event that was returned last, and waits for the next one.
            ///
            /// - Returns: The event; nil when the session has ended.
            /// - Throws: `CancellationError` when the surrounding Swift task is cancelled, which leaves the transfers
            ///   running; `URLError.Code.backgroundSessionInUseByAnotherProcess`, or
            ///   `URLError.Code.backgroundSessionWasDisconnected` if the daemon cannot be started;
            ///   `URLError.Code.resourceUnavailable` if the session has a delegate, or is no background session.
            public mutating func next() async throws -> Event? {
                try await reader.next()
            }
        }
    }
}

/// Takes the events of a session for one loop.
private final class EventReader {
    private let core: SessionCore
    /// What the loop's body has not dealt with yet.
    private var current: UnreadEvents.Event?
    /// Whether the loop has got the content of the task whose end is ``current``.
    private var hasContent = false

    init(_ core: SessionCore) {
        self.core = core
        guard let unread = core.unread else { return }
        unread.beginReading()
        // The session connects to the daemon, unless it has, also if that has failed before.
        core.backend.prepareForTask()
        core.backend.loadTasks(of: core) {}
    }

    deinit {
        guard let unread = core.unread else { return }
        if case .challenge(let challenge) = current, challenge.isAnswered { current = nil }
        unread.endReading(current)
    }

    func next() async throws -> URLSession.Event? {
        let unread = try core.requireUnread()
        if case .end(let end) = current, hasContent {
            hasContent = false
            return .end(end.task, end.error)
        }
        settle(unread)
        while true {
            try Task.checkCancellation()
            let (event, isClosed) = try unread.next()
            guard let event else {
                if isClosed { return nil }
                await valueUnlessCancelled(orElse: ()) { ready in unread.wait { ready(()) } }
                continue
            }
            current = event
            if let event = await content(of: event, unread) { return event }
        }
    }

    /// Acknowledges what the loop's body has dealt with.
    private func settle(_ unread: UnreadEvents) {
        switch current {
        case .end(let end): unread.acknowledge(end)
        case .challenge(let challenge): challenge.answer(.performDefaultHandling)
        case .progress, .finished, nil: break
        }
        current = nil
    }

    /// Returns what the loop gets; nil if an event has to wait for its disk.
    private func content(
        of event: UnreadEvents.Event,
        _ unread: UnreadEvents
    ) async -> URLSession.Event? {
        switch event {
        case .progress(let task): return .progress(task)
        case .challenge(let challenge): return .challenge(challenge)
        case .finished: return .finishedEvents
        case .end(var end):
            let content = await unread.open(&end)
            guard content != .away else {
                current = nil
                return nil
            }
            current = .end(end)
            switch (content, end.task) {
            case (.file(let location), let task as URLSessionDownloadTask):
                hasContent = true
                return .file(task, location)
            case (.data(let data), let task as URLSessionUploadTask):
                hasContent = true
                return .data(task, data)
            default:
                return .end(end.task, end.error)
            }
        }
    }
}

/// The handler of a challenge, of which only the first call counts.
final class ChallengeCompletion: Sendable {
    typealias Handler = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    private let handler: Mutex<Handler?>

    init(_ handler: @escaping Handler) { self.handler = Mutex(handler) }

    var isCalled: Bool { handler.withLock { $0 == nil } }

    func call(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
        let handler = handler.withLock { handler in
            defer { handler = nil }
            return handler
        }
        handler?(disposition, credential)
    }
}
