import Foundation
import FoundationNetworking

extension URLSession {
    /// Ends the session when its tasks have ended.
    ///
    /// No further task can be made. When the last one has completed, the delegate gets
    /// `didBecomeInvalidWithError` with nil and is released. In a background session that includes tasks of
    /// earlier launches; the identifier can be used again after that message. Has no effect on ``shared``.
    public func finishTasksAndInvalidate() {
        core.invalidate(self, cancelling: false)
    }

    /// Cancels the session's tasks and ends it.
    ///
    /// Like ``finishTasksAndInvalidate()``, after cancelling all tasks. Has no effect on ``shared``.
    public func invalidateAndCancel() {
        core.invalidate(self, cancelling: true)
    }

    /// Makes all earlier calls durable and starts with new connections.
    ///
    /// Tasks that are resumed after this use new connections. In a background session the closure is called when the
    /// daemon has acknowledged all earlier calls.
    ///
    /// - Parameter completionHandler: Called on the delegate queue.
    public func flush(completionHandler: @escaping @Sendable () -> Void) {
        let queue = delegateQueue
        core.backend.flush { queue.addOperation { completionHandler() } }
    }

    /// Makes all earlier calls durable and starts with new connections.
    ///
    /// See ``flush(completionHandler:)``.
    public func flush() async {
        await withCheckedContinuation { continuation in
            flush { continuation.resume() }
        }
    }

    /// Empties the session's stores of cookies, credentials and responses, then flushes.
    ///
    /// - Parameter completionHandler: Called on the delegate queue.
    public func reset(completionHandler: @escaping @Sendable () -> Void) {
        let configuration = configuration
        configuration.httpCookieStorage?.removeCookies(since: .distantPast)
        configuration.urlCache?.removeAllCachedResponses()
        if let storage = configuration.urlCredentialStorage {
            for (space, credentials) in storage.allCredentials {
                for credential in credentials.values { storage.remove(credential, for: space) }
            }
        }
        flush(completionHandler: completionHandler)
    }

    /// Empties the session's stores of cookies, credentials and responses, then flushes.
    public func reset() async {
        await withCheckedContinuation { continuation in
            reset { continuation.resume() }
        }
    }
}
