import Foundation
import Synchronization

extension URLSessionTask {
    /// A message of a task, for its session's delegate queue.
    struct Delivery: Sendable {
        enum Message: Sendable {
            /// The download continues after bytes received earlier.
            case resumed(offset: Int64, expectedByteCount: Int64)
            /// Bytes arrived.
            case progressed(byteCount: Int64, expectedByteCount: Int64)
            /// The file is complete.
            case finished(FinishedFile)
            /// Bytes of the request's body were sent.
            case sent(byteCount: Int64, expectedByteCount: Int64)
            /// The request's body is sent from an offset; bytes after it may have been sent before.
            case sentAnew(from: Int64)
            /// A part of the response's body.
            case data(Data)
            /// A call of the delegate that notifies or asks it.
            case call(@Sendable (URLSession) -> Void)
            /// A message of a WebSocket task.
            case socket(URLSessionWebSocketTask.News)
            /// The task has ended.
            case completed(error: (any Error)?)
        }

        var message: Message
        /// Called when the message was delivered, before the next message of the task.
        var didDeliver: (@Sendable () -> Void)?

        /// Whether it is a call of the delegate that notifies or asks it.
        var isCall: Bool { if case .call = message { true } else { false } }
    }

    /// The pending messages of a task, in order.
    ///
    /// At most one operation per task is on the delegate queue, so that a task's messages keep their order even on a
    /// queue that runs several operations at once. Progress cannot pile up in front of a slow delegate: undelivered
    /// figures are replaced by newer ones.
    struct Deliveries: Sendable {
        private var pending: [Delivery] = []
        private var isScheduled = false
        private var deliveredByteCount: Int64
        private var deliveredSentByteCount: Int64

        /// Creates the messages of a task.
        ///
        /// - Parameters:
        ///   - deliveredByteCount: The number of received bytes reported to an earlier launch of the app.
        ///   - deliveredSentByteCount: The number of sent bytes reported to it.
        init(deliveredByteCount: Int64 = 0, deliveredSentByteCount: Int64 = 0) {
            self.deliveredByteCount = deliveredByteCount
            self.deliveredSentByteCount = deliveredSentByteCount
        }

        /// Messages that must not be delivered before those of another task.
        static let held: Deliveries = {
            var deliveries = Deliveries()
            deliveries.hold()
            return deliveries
        }()

        /// Keeps messages back until ``didDeliver()``, as if one of them were being delivered.
        mutating func hold() { isScheduled = true }

        /// Adds a message.
        ///
        /// - Returns: Whether an operation must be put on the delegate queue.
        mutating func append(_ delivery: Delivery) -> Bool {
            switch (pending.last?.message, delivery.message) {
            case (.progressed, .progressed), (.sent, .sent):
                pending[pending.count - 1] = delivery
            case (.data(var data), .data(let more)):
                // Taken out first, so that the bytes need not be copied.
                pending.removeLast()
                data.append(more)
                pending.append(Delivery(message: .data(data), didDeliver: delivery.didDeliver))
            default:
                // Most tasks have three at once: the last bytes, the file or the response, and the end.
                if pending.isEmpty { pending.reserveCapacity(3) }
                pending.append(delivery)
            }
            return schedule()
        }

        /// Returns the next message, with the number of bytes since the last progress that was delivered.
        mutating func next() -> (delivery: Delivery, newByteCount: Int64)? {
            guard !pending.isEmpty else { return nil }
            let delivery = pending.removeFirst()
            switch delivery.message {
            case .resumed(let offset, _):
                deliveredByteCount = offset
                return (delivery, 0)
            case .progressed(let byteCount, _):
                defer { deliveredByteCount = byteCount }
                return (delivery, byteCount - deliveredByteCount)
            case .sent(let byteCount, _):
                defer { deliveredSentByteCount = byteCount }
                return (delivery, byteCount - deliveredSentByteCount)
            case .sentAnew(let offset):
                deliveredSentByteCount = offset
                return (delivery, 0)
            case .finished, .data, .call, .socket, .completed:
                return (delivery, 0)
            }
        }

        /// Takes back the message returned by ``next()``: it cannot be delivered now, and those after it wait.
        ///
        /// The caller puts an operation on the delegate queue when it can.
        mutating func putBack(_ delivery: Delivery) { pending.insert(delivery, at: 0) }

        /// Records that the message returned by ``next()`` was delivered.
        ///
        /// - Returns: Whether another operation must be put on the delegate queue.
        mutating func didDeliver() -> Bool {
            isScheduled = false
            return schedule()
        }

        private mutating func schedule() -> Bool {
            guard !isScheduled, !pending.isEmpty else { return false }
            isScheduled = true
            return true
        }
    }
}

extension URLSessionTask {
    /// Delivers a message to the app, after all earlier messages.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - didDeliver: Called on the delegate queue when the message was delivered.
    func deliver(_ message: Delivery.Message, didDeliver: (@Sendable () -> Void)? = nil) {
        let needsOperation = storage.withLock {
            $0.deliveries.append(Delivery(message: message, didDeliver: didDeliver))
        }
        if needsOperation { core.delegateCalls.enqueue(self) }
    }

    /// Delivers the next message; on the delegate queue.
    ///
    /// - Returns: Whether there is another message, for which the task must enter the line again.
    func deliverNext() -> Bool {
        guard let (delivery, newByteCount) = storage.withLock({ $0.deliveries.next() }) else {
            return false
        }
        if let unread = core.unread, !delivery.isCall {
            if pass(delivery, to: unread) { delivery.didDeliver?() }
            return storage.withLock { $0.deliveries.didDeliver() }
        }
        switch delivery.message {
        case .call(let call):
            if let session = storage.withLock({ $0.session }) { call(session) }
        case .sent(let byteCount, let expectedByteCount):
            notifySent(newByteCount, of: byteCount, expecting: expectedByteCount)
        case .sentAnew:
            break
        case .completed(let error):
            deliverEnd(error)
        case .finished(let file) where awaitsFile:
            switch prepare(file, delivery) {
            case .away: return false
            case .removed: return storage.withLock { $0.deliveries.didDeliver() }
            case .taken: break
            case .here: notify(delivery.message, newByteCount: newByteCount)
            }
        case .resumed, .progressed, .finished, .data, .socket:
            notify(delivery.message, newByteCount: newByteCount)
        }
        delivery.didDeliver?()
        if case .completed = delivery.message { end() }
        return storage.withLock { $0.deliveries.didDeliver() }
    }

    private func deliverEnd(_ error: (any Error)?) {
        let lost = storage.withLock { $0.fileFailure }
        notifyMissingMetrics()
        complete(error ?? lost)
        notify(.completed(error: error ?? lost), newByteCount: 0)
    }

    private func notifySent(_ newByteCount: Int64, of byteCount: Int64, expecting expected: Int64) {
        guard newByteCount > 0, let session = storage.withLock({ $0.session }) else { return }
        notify(.sent) { (delegate: any URLSessionTaskDelegate) in
            delegate.urlSession(
                session,
                task: self,
                didSendBodyData: newByteCount,
                totalBytesSent: byteCount,
                totalBytesExpectedToSend: expected
            )
        }
    }

    /// Notifies a delegate that the task has ended.
    func notifyCompletion(_ error: (any Error)?, in session: URLSession) {
        notify(.completed) { (delegate: any URLSessionTaskDelegate) in
            delegate.urlSession(session, task: self, didCompleteWithError: error)
        }
    }

    /// Marks the task as completed, and passes its resume data, if any, to the waiting handlers.
    func complete(_ error: (any Error)?) {
        let handlers = storage.withLock { storage in
            storage.lifecycle.complete()
            storage.error = error
            defer { storage.resumeDataHandlers = [] }
            return storage.resumeDataHandlers
        }
        let failure = error as? URLError
        let resumeData = failure?.downloadTaskResumeData ?? failure?.uploadTaskResumeData
        for handler in handlers { handler(resumeData) }
    }

    /// Removes the task from its session: the app knows its end.
    func end() {
        core.taskEnded(self)
        letGo()
    }

    /// Releases everything that only a task that has not ended needs.
    func letGo() {
        // Released outside of the lock, because releasing the last reference to either runs code of the app.
        let references = storage.withLock { storage in
            defer {
                storage.session = nil
                storage.delegate = nil
            }
            return (storage.session, storage.delegate)
        }
        withExtendedLifetime(references) {}
    }
}
