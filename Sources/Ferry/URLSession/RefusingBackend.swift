import Foundation
import Synchronization

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
        task.core.delegateQueue.addOperation { task.deliver(.completed(error: error)) }
    }
}
