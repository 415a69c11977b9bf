import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// An object that carries out a task.
///
/// No method blocks or calls back before it returns. All may be called from any thread, and the calls for
/// one task come in the order in which they took effect.
protocol TaskBackend: AnyObject, Sendable {
    /// Performs a command of the app on a task.
    func perform(_ command: URLSessionTask.Lifecycle.Command, on task: URLSessionTask)

    /// Changes a task's description.
    func descriptionChanged(to description: String?, of task: URLSessionTask)

    /// Changes a task's priority.
    func priorityChanged(to priority: Float, of task: URLSessionTask)

    /// Changes a task's transfer options.
    func transferOptionsChanged(
        to options: TransferOptions,
        for request: URLRequest?,
        of task: URLSessionTask
    )

    /// Changes the date before which a task does not begin.
    func earliestBeginDateChanged(to date: Date?, of task: URLSessionTask)

    /// Continues with another request for the same resource.
    func relink(_ task: URLSessionDownloadTask, to request: TransferRequest)

    /// Continues a body that has waited for the app.
    func appCaughtUp(with task: URLSessionDataTask)
}

extension TaskBackend {
    /// Does nothing: tasks of other than background sessions begin at once (BG-20).
    func earliestBeginDateChanged(to date: Date?, of task: URLSessionTask) {}

    /// Does nothing: the options are read when they are needed.
    func transferOptionsChanged(
        to options: TransferOptions,
        for request: URLRequest?,
        of task: URLSessionTask
    ) {}

    /// Does nothing: a task that was refused has nothing to continue.
    func relink(_ task: URLSessionDownloadTask, to request: TransferRequest) {}

    /// Does nothing: no body waits by default.
    func appCaughtUp(with task: URLSessionDataTask) {}
}

/// An object that carries out the tasks of a session, in this process or in the transfer daemon: what both can do.
protocol SessionBackend: TaskBackend {
    /// Prepares for a new task.
    ///
    /// Waits, for a limited time, until a background session is opened for the first time; never otherwise.
    func prepareForTask()

    /// Returns an identifier that no task of the session has had, and the error if such a task cannot be carried out.
    func reserveTask() -> (identifier: Int, refusal: URLError?)

    /// Adds a new task, which is suspended.
    func add(_ task: URLSessionDownloadTask, _ specification: DownloadTaskSpecification)

    /// Calls `continuation` when `core` has an object for every task of the session.
    func loadTasks(of core: SessionCore, then continuation: @escaping @Sendable () -> Void)

    /// Changes the rate limits of all tasks together, in bytes per second.
    func ratesChanged(receive: Int64?, send: Int64?)

    /// Calls `continuation` when all earlier calls are durable, and releases idle connections.
    func flush(then continuation: @escaping @Sendable () -> Void)

    /// Ends the session, whose tasks have all ended, and calls `continuation` when that is done.
    ///
    /// No method is called after this.
    func close(then continuation: @escaping @Sendable () -> Void)
}

/// What carries out the tasks of a session.
enum SessionCarrier: Sendable {
    /// The app's process.
    case process(InProcessBackend)
    /// The transfer daemon.
    case daemon(BackgroundBackend)

    /// What can be done by either.
    var backend: any SessionBackend {
        switch self {
        case .process(let backend): backend
        case .daemon(let backend): backend
        }
    }
}

/// A backend for a task that cannot be sent: the task fails as soon as it is resumed.
///
/// The task is made nevertheless, as by Apple's library, so that errors arrive in one place only.
final class RefusingBackend: TaskBackend {
    private let error: URLError
    private let hasEnded = Mutex(false)

    init(error: URLError) {
        self.error = error
    }

    func perform(_ command: URLSessionTask.Lifecycle.Command, on task: URLSessionTask) {
        switch command {
        case .suspend:
            break
        case .resume:
            end(task, with: error)
        case .cancel, .cancelProducingResumeData:
            end(task, with: URLError(.cancelled, url: error.failingURL))
        }
    }

    func descriptionChanged(to description: String?, of task: URLSessionTask) {}

    func priorityChanged(to priority: Float, of task: URLSessionTask) {}

    private func end(_ task: URLSessionTask, with error: URLError) {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        guard isFirst else { return }
        // Not from inside the command, which holds the task's lock.
        task.core.delegateCalls.perform { task.deliver(.completed(error: error)) }
    }
}
