public import Foundation

/// What a session tells about itself.
///
/// A session keeps its delegate until it is invalidated. All methods are called on
/// ``URLSession/delegateQueue`` and have an implementation that does nothing.
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    /// Tells the delegate that the session has ended.
    ///
    /// The last message of a session. After it the session lets go of its delegate, and the identifier of
    /// a background session can be used again.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - error: nil when the app has invalidated the session itself.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

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

    /// Does nothing.
    ///
    /// - Parameter session: The session.
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}
