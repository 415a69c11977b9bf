import Foundation

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
            completionHandler(
                tasks.compactMap { $0 as? URLSessionDataTask }
                    .filter { !($0 is URLSessionUploadTask) },
                tasks.compactMap { $0 as? URLSessionUploadTask },
                tasks.compactMap { $0 as? URLSessionDownloadTask }
            )
        }
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
    /// See ``getTasksWithCompletionHandler(_:)`` for which tasks are included.
    public var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        get async {
            await withCheckedContinuation { continuation in
                getTasksWithCompletionHandler { continuation.resume(returning: ($0, $1, $2)) }
            }
        }
    }

    /// The session's tasks, oldest first.
    ///
    /// See ``getTasksWithCompletionHandler(_:)`` for which tasks are included.
    public var allTasks: [URLSessionTask] {
        get async {
            await withCheckedContinuation { continuation in
                getAllTasks { continuation.resume(returning: $0) }
            }
        }
    }
}
