import FerryTransfer
import Foundation

/// What carries out a task.
///
/// No method blocks or calls back before it returns. All may be called from any thread, and the calls for
/// one task come in the order in which they took effect.
protocol TaskBackend: AnyObject, Sendable {
    /// Does what the app has told a task.
    func perform(_ command: URLSessionTask.Lifecycle.Command, on task: URLSessionTask)

    /// Changes a task's description.
    func descriptionChanged(to description: String?, of task: URLSessionTask)

    /// Changes a task's priority.
    func priorityChanged(to priority: Float, of task: URLSessionTask)

    /// Changes how a task is to be carried out.
    func transferOptionsChanged(to options: TransferOptions, of task: URLSessionTask)

    /// Changes the date before which a task is not to begin.
    func earliestBeginDateChanged(to date: Date?, of task: URLSessionTask)

    /// Goes on with another request for the same.
    func relink(_ task: URLSessionDownloadTask, to request: TransferRequest)

    /// Goes on with a body that has waited for the app.
    func appCaughtUp(with task: URLSessionDataTask)
}

extension TaskBackend {
    /// Tasks of other than background sessions begin at once (BG-20).
    func earliestBeginDateChanged(to date: Date?, of task: URLSessionTask) {}

    /// They are looked at when they are needed.
    func transferOptionsChanged(to options: TransferOptions, of task: URLSessionTask) {}

    /// A task that was refused has nothing to go on with.
    func relink(_ task: URLSessionDownloadTask, to request: TransferRequest) {}

    /// Nothing waits by default.
    func appCaughtUp(with task: URLSessionDataTask) {}
}

/// What carries out the tasks of a session: the process itself, or the transfer daemon.
protocol SessionBackend: TaskBackend {
    /// Gets ready for a new task.
    ///
    /// Waits, within bounds, for a background session to be opened for the first time; never otherwise.
    func prepareForTask()

    /// A number that no task of the session has had, and why such a task cannot be carried out, if so.
    func reserveTask() -> (identifier: Int, refusal: URLError?)

    /// Takes on a new task, which is suspended.
    func add(_ task: URLSessionDownloadTask, _ specification: DownloadTaskSpecification)

    /// Takes on a new task, which is suspended.
    func add(_ task: URLSessionDataTask, _ specification: DataTaskSpecification)

    /// Takes on a new task, which is suspended, for a file that is open already.
    func add(_ task: URLSessionUploadTask, _ specification: UploadTaskSpecification)

    /// Takes on a new task, which is suspended, for something that is on no server.
    func addLocal(_ task: URLSessionDownloadTask, _ specification: DataTaskSpecification)

    /// Calls `continuation` when `core` has an object for every task of the session.
    func loadTasks(of core: SessionCore, then continuation: @escaping @Sendable () -> Void)

    /// Changes how fast all tasks together may load and send, in bytes per second.
    func ratesChanged(receive: Int64?, send: Int64?)

    /// Calls `continuation` when all that was asked for is durable, and lets go of idle connections.
    func flush(then continuation: @escaping @Sendable () -> Void)

    /// Ends the session, whose tasks have all ended, and calls `continuation` when that is done.
    ///
    /// Nothing is asked for after this.
    func close(then continuation: @escaping @Sendable () -> Void)
}

extension SessionBackend {
    /// Ends a task that a session of this kind cannot carry out, and that is never made for it.
    func refuse(_ task: URLSessionTask) {
        let error = URLError(.unsupportedURL, url: task.originalRequest?.url)
        task.core.delegateQueue.addOperation { task.deliver(.completed(error: error)) }
    }
}
