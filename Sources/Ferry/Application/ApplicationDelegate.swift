/// The methods that a program implements to respond to system events.
///
/// The counterpart of `UIApplicationDelegate` for URL sessions.
public protocol ApplicationDelegate: AnyObject, Sendable {
    /// Tells the delegate that the events of a background session wait for it.
    ///
    /// Called once, on the main actor, in a program that the transfer daemon has started because
    /// all tasks of the session are done, or one is in a session with
    /// ``URLSessionConfiguration/sessionSendsLaunchEventsForEachTask``. Store the completion handler, make the
    /// session again with a configuration of the same identifier, and call the handler after the session's
    /// delegate got ``URLSessionDelegate/urlSessionDidFinishEvents(forBackgroundURLSession:)``.
    ///
    /// - Parameters:
    ///   - application: ``Application/shared``.
    ///   - identifier: The identifier of the session whose events wait.
    ///   - completionHandler: The handler to call once, on the main actor, when all events are processed.
    ///     ``Application/runUntilBackgroundEventsAreHandled()`` returns after that.
    @MainActor
    func application(
        _ application: Application,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    )

    /// Tells the delegate that the program is about to end.
    ///
    /// Called once, on the main actor, when SIGTERM or SIGHUP has arrived while background tasks were open, all of
    /// them have since ended, and the daemon has acknowledged all calls; see
    /// ``Application/beginBackgroundTask(withName:expirationHandler:)``. Calls that the method makes to a
    /// background session are still made durable. It must return within
    /// ``Application/expirationTimeLimit``. The default implementation does nothing.
    ///
    /// - Important: On Linux it is called only then. It is not called in a program that the signal ends at once,
    ///   because no background task is open, or that ends by itself. Apple's:
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
