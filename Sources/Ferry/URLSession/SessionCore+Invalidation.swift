import Foundation
import Synchronization

extension SessionCore {
    /// Accepts no more tasks, and ends when the existing ones have ended.
    func invalidate(_ session: URLSession, cancelling: Bool) {
        guard !isShared else { return }
        state.withLock { state in
            guard state.condition == .active else { return }
            state.condition = .finishing
            state.handle = state.handle ?? session
        }
        // At once, so that a program may exit right after; and again when the tasks of earlier launches are known.
        if cancelling { cancelTasks() }
        backend.loadTasks(of: self) {
            if cancelling { self.cancelTasks() }
            self.state.withLock { $0.knowsAllTasks = true }
            self.closeIfPossible()
        }
    }

    private func cancelTasks() {
        for task in tasks { task.cancel() }
    }

    func closeIfPossible() {
        let closes = state.withLock { state in
            guard state.condition == .finishing, state.knowsAllTasks, state.tasks.isEmpty else {
                return false
            }
            state.condition = .closing
            return true
        }
        guard closes else { return }
        backend.close {
            self.delegateQueue.addOperation { self.end() }
        }
    }

    private func end() {
        let (delegate, handle) = state.withLock { state in
            state.condition = .ended
            return (state.delegate, state.handle)
        }
        onEnd()
        if let handle { delegate?.urlSession(handle, didBecomeInvalidWithError: nil) }
        // The references taken above are the last ones, and are released outside of the lock because that may run code
        // of the app.
        state.withLock { state in
            state.delegate = nil
            state.handle = nil
        }
    }
}
