public import Foundation
public import FoundationNetworking

extension URLSession {
    /// Calls a closure with the session's tasks, by kind.
    ///
    /// Only tasks that were resumed and have not ended are included. For a background session that includes the tasks
    /// of earlier launches, which are identified by their ``URLSessionTask/taskIdentifier``, original request and
    /// ``URLSessionTask/taskDescription``.
    ///
    /// - Parameter completionHandler: Called on the delegate queue with the data tasks, upload tasks and
    ///   download tasks.
    public func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable (
                [URLSessionDataTask],
                [URLSessionUploadTask],
                [URLSessionDownloadTask]
            ) -> Void
    ) {
        core.listTasks { tasks in
            let (data, uploads, downloads) = Self.byKind(tasks)
            completionHandler(data, uploads, downloads)
        }
    }

    private static func byKind(
        _ tasks: [URLSessionTask]
    ) -> ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        (
            tasks.compactMap { $0 as? URLSessionDataTask }
                .filter { !($0 is URLSessionUploadTask) },
            tasks.compactMap { $0 as? URLSessionUploadTask },
            tasks.compactMap { $0 as? URLSessionDownloadTask }
        )
    }

    /// Calls a closure with the session's tasks.
    ///
    /// See ``getTasksWithCompletionHandler(_:)`` for which tasks are included.
    ///
    /// - Parameter completionHandler: Called on the delegate queue with the tasks, oldest first.
    public func getAllTasks(
        completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void
    ) {
        core.listTasks(completionHandler)
    }

    /// The session's data tasks, upload tasks and download tasks.
    ///
    /// See ``getTasksWithCompletionHandler(_:)`` for which tasks are included. Where the surrounding Swift task is
    /// cancelled, those that are known by then.
    public var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        get async { Self.byKind(await core.listTasks()) }
    }

    /// The session's tasks, oldest first.
    ///
    /// See ``getTasksWithCompletionHandler(_:)`` for which tasks are included. Where the surrounding Swift task is
    /// cancelled, those that are known by then.
    public var allTasks: [URLSessionTask] {
        get async { await core.listTasks() }
    }
}

extension URLSession {
    /// Creates a task that loads the contents of a request's URL and delivers them to the delegate.
    ///
    /// - Parameter request: A request for `http`, `https`, `file` or `data`; another scheme fails with
    ///   `URLError.Code.unsupportedURL`.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func dataTask(with request: URLRequest) -> URLSessionDataTask {
        core.makeDataTask(request, of: self)
    }

    /// Creates a task that loads the contents of a URL and delivers them to the delegate.
    ///
    /// - Parameter url: A URL; see ``dataTask(with:)-(URLRequest)``.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func dataTask(with url: URL) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url))
    }

    /// Creates a task that loads the contents of a request's URL and passes them to a closure.
    ///
    /// - Parameters:
    ///   - request: A request for `http`, `https`, `file` or `data`.
    ///   - completionHandler: Called on the delegate queue with the body, the response and the error: the body is nil
    ///     if there is an error, and the response if none was received.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        core.makeDataTask(request, of: self, for: .handler(completionHandler))
    }

    /// Creates a task that loads the contents of a URL and passes them to a closure.
    ///
    /// - Parameters:
    ///   - url: A URL.
    ///   - completionHandler: Called on the delegate queue with the body, the response and the error.
    /// - Returns: The task, suspended.
    /// - Precondition: The session is not a background session, and was not invalidated.
    public func dataTask(
        with url: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }
}

/// A task that reads and writes a TCP connection.
///
/// - Important: There are no stream tasks on Linux: use a library for sockets, such as SwiftNIO.
@available(
    *,
    unavailable,
    message: "There are no stream tasks on Linux; use a library for sockets."
)
open class URLSessionStreamTask: URLSessionTask, @unchecked Sendable {}

extension URLSession {
    /// Not available on Linux.
    ///
    /// - Parameters:
    ///   - hostname: The host.
    ///   - port: Its port.
    /// - Returns: Nothing.
    @available(
        *,
        unavailable,
        message: "There are no stream tasks on Linux; use a library for sockets."
    )
    public func streamTask(withHostName hostname: String, port: Int) -> URLSessionStreamTask {
        preconditionFailure("There are no stream tasks on Linux.")
    }
}
