import Foundation
import Synchronization

extension URLSessionTask {
    /// Delivers a message to the app, after all earlier messages.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - wasTold: Called on the delegate queue when the message was delivered.
    func deliver(_ message: Delivery.Message, wasTold: (@Sendable () -> Void)? = nil) {
        let needsOperation = storage.withLock {
            $0.deliveries.append(Delivery(message: message, wasTold: wasTold))
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
        switch delivery.message {
        case .call(let call):
            if let session = storage.withLock({ $0.session }) { call(session) }
        case .sent(let byteCount, let expectedByteCount):
            tellSent(newByteCount, of: byteCount, expecting: expectedByteCount)
        case .sentAnew:
            break
        case .completed(let error):
            tellMissingMetrics()
            complete(error)
            tell(delivery.message, newByteCount: 0)
        case .resumed, .progressed, .finished, .data, .socket:
            tell(delivery.message, newByteCount: newByteCount)
        }
        delivery.wasTold?()
        if case .completed = delivery.message { end() }
        return storage.withLock { $0.deliveries.wasTold() }
    }

    private func tellSent(_ newByteCount: Int64, of byteCount: Int64, expecting expected: Int64) {
        guard newByteCount > 0, let session = storage.withLock({ $0.session }) else { return }
        tell(.sent) { (delegate: any URLSessionTaskDelegate) in
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
    func tellCompletion(_ error: (any Error)?, in session: URLSession) {
        tell(.completed) { (delegate: any URLSessionTaskDelegate) in
            delegate.urlSession(session, task: self, didCompleteWithError: error)
        }
    }

    /// Marks the task as completed, and passes its resume data, if any, to the waiting handlers.
    private func complete(_ error: (any Error)?) {
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

    private func end() {
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
