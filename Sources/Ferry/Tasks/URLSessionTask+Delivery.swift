import Foundation
import Synchronization

extension URLSessionTask {
    /// Tells the app something, after all that it was to be told before.
    ///
    /// - Parameters:
    ///   - message: What to tell.
    ///   - wasTold: Called on the delegate queue when the app has been told.
    func deliver(_ message: Delivery.Message, wasTold: (@Sendable () -> Void)? = nil) {
        let needsOperation = storage.withLock {
            $0.deliveries.append(Delivery(message: message, wasTold: wasTold))
        }
        if needsOperation { core.delegateCalls.enqueue(self) }
    }

    /// Tells the next message; on the delegate queue.
    ///
    /// - Returns: Whether there is another one, for which the task must get in line again.
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

    /// Tells a delegate that the task has ended.
    func tellCompletion(_ error: (any Error)?, in session: URLSession) {
        tell(.completed) { (delegate: any URLSessionTaskDelegate) in
            delegate.urlSession(session, task: self, didCompleteWithError: error)
        }
    }

    /// Makes the task a completed one, and gives those who wait for its resume data what there is.
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

    /// Lets go of all that only a task under way needs.
    func letGo() {
        // Released outside of the lock, as the last reference to either runs code of the app.
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
