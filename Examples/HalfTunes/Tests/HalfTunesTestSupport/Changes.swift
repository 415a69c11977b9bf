import Synchronization

/// Waits for conditions, looking at them whenever something has changed.
package final class Changes: Sendable {
    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Something has changed.
    package func record() {
        let waiting = state.withLock { state in
            state.count += 1
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when there were more of them than a count, or the task is cancelled.
    private func wait(after count: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.count == count { state.waiting.append(continuation) }
                    return state.count != count
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            record()
        }
    }

    /// Returns when a condition holds, which is looked at after each change.
    ///
    /// - Throws: `CancellationError`, which the test's time limit leads to.
    package func until(_ condition: () throws -> Bool) async throws {
        while true {
            let seen = state.withLock { $0.count }
            if try condition() { return }
            try Task.checkCancellation()
            await wait(after: seen)
        }
    }
}
