import Foundation
import Synchronization

extension URLSessionTask {
    /// Cancels the task so that it can be resumed later.
    ///
    /// - Parameter handler: Called once, on the delegate queue, with the resume data if there is any.
    func cancel(handingResumeDataTo handler: @escaping @Sendable (Data?) -> Void) {
        let isTooLate = storage.withLock { storage in
            guard let command = storage.lifecycle.cancel(producingResumeData: true) else {
                return true
            }
            storage.resumeDataHandlers.append(handler)
            backend.perform(command, on: self)
            return false
        }
        if isTooLate {
            core.delegateCalls.perform { handler(nil) }
        }
    }
}
