import Synchronization

/// Wakes those who wait for something to change.
final class Changes: Sendable {
    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// How many changes there were; read it before looking at what may change.
    var count: Int { state.withLock { $0.count } }

    /// Tells that there was one.
    func note() {
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
            note()
        }
    }

    /// Returns when a condition holds, which is looked at after each change.
    ///
    /// - Throws: `CancellationError`, which the test's time limit leads to.
    func wait(until condition: () throws -> Bool) async throws {
        while true {
            let seen = count
            if try condition() { return }
            try Task.checkCancellation()
            await wait(after: seen)
        }
    }
}
