public import Foundation
public import FoundationNetworking

/// Methods that a session calls on its delegate for events of the session itself.
///
/// A session keeps its delegate until it is invalidated. All methods are called on
/// ``URLSession/delegateQueue`` and have a default.
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    /// Tells the delegate that the session has ended.
    ///
    /// The last call of a session. Afterwards the session releases its delegate, and the identifier of a background
    /// session can be used again.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - error: nil when the app has invalidated the session itself.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

    /// Asks the delegate whether to trust a server, or which client certificate to use.
    ///
    /// These challenges belong to a connection: they are not repeated for later requests on it, and on Linux not for
    /// the same certificates in the same session either. If the delegate implements neither form, the task's delegate
    /// is asked instead.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - challenge: The challenge; `protectionSpace.serverTrust` has the certificates.
    ///   - completionHandler: To be called with the answer, on any thread.
    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void
    )

    /// Asks the delegate whether to trust a server, or which client certificate to use.
    ///
    /// The other form of the method with a completion handler: implement one of them.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - challenge: The challenge.
    /// - Returns: The answer.
    @concurrent func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Tells the delegate that all events that waited for this launch are delivered.
    ///
    /// Called for background sessions only, and only in a process that the transfer daemon has started for
    /// this session; see ``Application/launchReason``. Now call the completion handler of
    /// ``ApplicationDelegate/application(_:handleEventsForBackgroundURLSession:completionHandler:)``, on the
    /// main thread.
    ///
    /// - Parameter session: The session.
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension URLSessionDelegate {
    /// Does nothing.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - error: nil when the app has invalidated the session itself.
    public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}

    /// Calls the other form of the method; if that is not implemented either, the answer is
    /// ``URLSession/AuthChallengeDisposition/performDefaultHandling``.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - challenge: The challenge.
    ///   - completionHandler: Called with the answer.
    public func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        DelegateForms.answer(
            .sessionChallenge,
            of: self,
            to: { completionHandler($0.0, $0.1) },
            byDefault: (.performDefaultHandling, nil),
            by: { await self.urlSession(session, didReceive: challenge) }
        )
    }

    /// Calls the other form of the method.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - challenge: The challenge.
    /// - Returns: The answer.
    @concurrent public func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        await DelegateForms.ask(.sessionChallenge, of: self) { handler in
            self.urlSession(session, didReceive: challenge) { handler(($0, $1)) }
        }
    }

    /// Does nothing.
    ///
    /// - Parameter session: The session.
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}

extension URLSession {
    /// The ways to proceed with an authentication challenge.
    public enum AuthChallengeDisposition: Int, Hashable, Sendable {
        /// Use the credential; without one, continue as if none were available.
        case useCredential = 0
        /// Act as if the delegate did not implement the method.
        case performDefaultHandling = 1
        /// Cancel the task, which fails with `URLError.Code.cancelled`.
        case cancelAuthenticationChallenge = 2
        /// Try the next authentication method that the server offers; if there is none, its response is the result.
        case rejectProtectionSpace = 3
    }

    /// The ways to proceed with a response.
    public enum ResponseDisposition: Int, Hashable, Sendable {
        /// Cancel the task, as ``URLSessionTask/cancel()`` does.
        case cancel = 0
        /// Continue.
        case allow = 1
        /// Continue as a download task.
        case becomeDownload = 2
        /// Continue as a stream task.
        ///
        /// - Important: There are no stream tasks on Linux: the task fails with
        ///   `URLError.Code.unsupportedURL`.
        case becomeStream = 3
    }

    /// The ways to proceed with a request that was delayed until its date.
    public enum DelayedRequestDisposition: Int, Hashable, Sendable {
        /// Send it as it is.
        case continueLoading = 0
        /// Send another one in its place.
        case useNewRequest = 1
        /// Cancel the task.
        case cancel = 2
    }
}
