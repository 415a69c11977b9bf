public import Foundation
public import FoundationNetworking

/// An object that makes and runs transfers with a common configuration and delegate.
///
/// The configuration determines the kind of a session. Default and ephemeral sessions transfer in the app's own
/// process. A background session passes its transfers to the transfer daemon, which continues them when the app ends,
/// and starts the app again when they are done.
///
/// ```swift
/// let session = URLSession(configuration: .background(withIdentifier: "tracks"),
///                          delegate: downloads, delegateQueue: nil)
/// session.downloadTask(with: url).resume()
/// ```
///
/// A session keeps its delegate until it is invalidated, and lives as long as it has tasks; a background
/// session lives until it is invalidated. All members may be used from any thread.
open class URLSession: NSObject, @unchecked Sendable {
    // @unchecked because an open class cannot be checked; nothing in this class changes.
    let core: SessionCore

    private static let onlyShared: URLSession = {
        var configuration = URLSessionConfiguration.Values(kind: .default).forSession()
        configuration.protocolClasses = URLSessionConfiguration.Values.Untyped([])
        configuration.asksRegisteredClasses = true
        return URLSession(
            core: SessionCore(
                configuration: configuration,
                delegate: nil,
                delegateQueue: nil,
                carrier: .process(InProcessBackend(configuration: configuration)),
                isShared: true
            )
        )
    }()

    /// A session for simple requests, with the default configuration and no delegate.
    ///
    /// It cannot be invalidated: the methods for that do nothing. It asks the classes that are registered with
    /// ``URLProtocol/registerClass(_:)``.
    open class var shared: URLSession { onlyShared }

    /// Creates a session without a delegate, for tasks with completion handlers and for `async` methods.
    ///
    /// - Parameter configuration: The configuration; copied.
    public convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
    }

    /// Creates a session with a delegate.
    ///
    /// One session per background identifier can be in use. If there is one already in this process, the new object is
    /// a second handle of it: it has the first one's configuration, delegate, queue and tasks, and delegates are called
    /// with the first object. That is reported on standard error. (On Apple's systems the initialiser returns the first
    /// object itself, which an initialiser in Swift cannot do.) If another process of the application has the session,
    /// its tasks fail with `URLError.Code.backgroundSessionInUseByAnotherProcess`.
    ///
    /// - Parameters:
    ///   - configuration: The configuration; copied.
    ///   - delegate: The object that receives the session's events; kept until the session is invalidated. Without it, the events
    ///     of a background session stay with the daemon until ``events`` or ``file(from:to:cancelsWithTask:prepare:)`` takes them.
    ///   - queue: The queue on which delegates and completion handlers are called; it should be serial. nil for a
    ///     serial queue of the session's own.
    public init(
        configuration: URLSessionConfiguration,
        delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        let values = configuration.snapshot.forSession()
        guard case .background(let identifier) = values.kind else {
            core = SessionCore(
                configuration: values,
                delegate: delegate,
                delegateQueue: queue,
                carrier: .process(InProcessBackend(configuration: values))
            )
            super.init()
            return
        }
        core = BackgroundSessions.shared.core(
            identifier: identifier,
            configuration: values,
            delegate: delegate,
            delegateQueue: queue
        )
        super.init()
        BackgroundSessions.shared.add(self, identifier: identifier)
    }

    /// Creates a background session among other sessions than the program's own.
    init(
        backgroundIdentifier identifier: String,
        configuration: URLSessionConfiguration.Values,
        delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue? = nil,
        among sessions: BackgroundSessions
    ) {
        core = sessions.core(
            identifier: identifier,
            configuration: configuration,
            delegate: delegate,
            delegateQueue: queue
        )
        super.init()
        sessions.add(self, identifier: identifier)
    }

    private init(core: SessionCore) {
        self.core = core
        super.init()
    }

    deinit {
        // A background session is kept by its core; only second handles of it get here.
        if !core.isBackground { core.backend.close {} }
    }

    /// The queue on which delegates and completion handlers are called.
    open var delegateQueue: OperationQueue { core.delegateQueue }

    /// The object that receives the session's events; nil after the session has become invalid.
    open var delegate: (any URLSessionDelegate)? { core.delegate }

    /// A copy of the configuration.
    ///
    /// Changing it has no effect on the session.
    open var configuration: URLSessionConfiguration {
        URLSessionConfiguration(values: core.configuration)
    }

    /// A text for the app's own use; nil by default.
    open var sessionDescription: String? {
        get { core.description }
        set { core.description = newValue }
    }

    // MARK: - Downloads

    /// Creates a task that downloads the contents of a request's URL.
    ///
    /// - Parameter request: A request for an HTTP or HTTPS URL; outside background sessions, also for a `file:` or `data:`
    ///   URL, or one that a class of the configuration's `protocolClasses` handles. Others fail with
    ///   `URLError.Code.unsupportedURL`.
    /// - Returns: The task, suspended.
    /// - Precondition: The session was not invalidated.
    open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        core.makeDownloadTask(from: .request(request), of: self)
    }

    /// Creates a task that downloads the contents of a URL.
    ///
    /// - Parameter url: An HTTP or HTTPS URL; outside background sessions, also a `file:` or `data:` URL, or one that a class
    ///   of the configuration's `protocolClasses` handles. Others fail with `URLError.Code.unsupportedURL`.
    /// - Returns: The task, suspended.
    /// - Precondition: The session was not invalidated.
    open func downloadTask(with url: URL) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url))
    }

    /// Creates a task that resumes a download.
    ///
    /// The resume data is obtained from ``URLSessionDownloadTask/cancel(byProducingResumeData:)`` or from a failure's
    /// `URLError.downloadTaskResumeData`, of any session and launch. It is used up by this call. Received bytes are not
    /// fetched again, unless the resource has changed: then the task starts over. ``URLSessionDownloadDelegate``'s
    /// `didResumeAtOffset` reports which.
    ///
    /// - Parameter resumeData: The resume data. A task made from other data fails with `URLError.Code.unsupportedURL`,
    ///   in a background session with `URLError.Code.cannotWriteToFile`.
    /// - Returns: The task, suspended.
    /// - Precondition: The session was not invalidated.
    open func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        core.makeDownloadTask(from: .resumeData(resumeData), of: self)
    }

    // MARK: - Downloads with a completion handler

    /// Creates a task that downloads the contents of a request's URL and passes the file to a closure.
    ///
    /// - Parameters:
    ///   - request: An HTTP or HTTPS request.
    ///   - completionHandler: Called on the delegate queue with the file, which is deleted when the closure
    ///     returns, and the response; or with an error.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    open func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        core.makeDownloadTask(
            from: .request(request),
            of: self,
            for: .handler(completionHandler, keepsFile: false)
        )
    }

    /// Creates a task that downloads the contents of a URL and passes the file to a closure.
    ///
    /// - Parameters:
    ///   - url: An HTTP or HTTPS URL.
    ///   - completionHandler: Called on the delegate queue with the file, which is deleted when the closure
    ///     returns, and the response; or with an error.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    open func downloadTask(
        with url: URL,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// Creates a task that resumes a download and passes the file to a closure.
    ///
    /// - Parameters:
    ///   - resumeData: The resume data of an earlier task.
    ///   - completionHandler: Called on the delegate queue with the file, which is deleted when the closure
    ///     returns, and the response; or with an error.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    open func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        core.makeDownloadTask(
            from: .resumeData(resumeData),
            of: self,
            for: .handler(completionHandler, keepsFile: false)
        )
    }
}

extension URLSession {
    /// Changes the rate limits for all of the session's tasks together, from now on.
    ///
    /// In a background session they apply until the app opens the session again, with the rates of its configuration.
    /// The tasks share the rates as described at ``URLSessionConfiguration/maximumReceiveRate``.
    ///
    /// - Parameters:
    ///   - receive: The maximum number of bytes received per second; nil for no limit. Values below 1 count as 1.
    ///   - send: The maximum number of bytes sent per second; nil for no limit. Values below 1 count as 1.
    public func setMaximumRates(receive: Int64?, send: Int64?) {
        core.backend.ratesChanged(
            receive: receive.map { max($0, 1) },
            send: send.map { max($0, 1) }
        )
    }
}

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
        let calls = core.delegateCalls
        core.backend.flush { calls.perform { completionHandler() } }
    }

    /// Makes all earlier calls durable and starts with new connections.
    ///
    /// See ``flush(completionHandler:)``. Returns early when the surrounding Swift task is cancelled.
    public func flush() async {
        await valueUnlessCancelled(orElse: ()) { finish in flush { finish(()) } }
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
    ///
    /// See ``reset(completionHandler:)``. Returns early when the surrounding Swift task is cancelled, and does nothing if
    /// it was cancelled before.
    public func reset() async {
        await valueUnlessCancelled(orElse: ()) { finish in reset { finish(()) } }
    }
}
