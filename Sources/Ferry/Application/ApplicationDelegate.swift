/// What a program does when the system tells it something.
///
/// The counterpart of `UIApplicationDelegate`, for what concerns URL sessions.
public protocol ApplicationDelegate: AnyObject, Sendable {
    /// Tells the delegate that the events of a background session wait for it.
    ///
    /// Called once, on the main actor, in a program that the transfer daemon has started because
    /// all tasks of the session are done. Store the completion handler, make the session again with
    /// a configuration of the same identifier, and call the handler after the session's delegate got
    /// ``URLSessionDelegate/urlSessionDidFinishEvents(forBackgroundURLSession:)``.
    ///
    /// - Parameters:
    ///   - application: ``Application/shared``.
    ///   - identifier: The identifier of the session whose events wait.
    ///   - completionHandler: To be called once, on the main actor, when all events are processed.
    ///     ``Application/runUntilBackgroundEventsAreHandled()`` returns after that.
    @MainActor
    func application(
        _ application: Application,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    )

    /// Tells the delegate that the program is about to end.
    ///
    /// Called once, on the main actor, when SIGTERM has come while background tasks were open, all of
    /// them have ended since, and the daemon knows of everything; see
    /// ``Application/beginBackgroundTask(withName:expirationHandler:)``. What the method asks of a
    /// background session is still made durable. It has to return within
    /// ``Application/expirationTimeLimit``. The default implementation does nothing.
    ///
    /// - Important: On Linux only then. A program that SIGTERM ends at once, because no background task
    ///   is open, or that ends by itself, is not told. Apple's:
    ///   [applicationWillTerminate(_:)](https://developer.apple.com/documentation/uikit/uiapplicationdelegate/applicationwillterminate(_:)).
    /// - Parameter application: ``Application/shared``.
    @MainActor
    func applicationWillTerminate(_ application: Application)
}

extension ApplicationDelegate {
    /// Does nothing.
    ///
    /// - Parameter application: ``Application/shared``.
    @MainActor
    public func applicationWillTerminate(_ application: Application) {}
}
