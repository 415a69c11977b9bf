import Synchronization

/// The calls that a ``ScriptedDaemon`` got, for which tests can wait.
final class CallLog: Sendable {
    private struct State {
        var calls: [String] = []
        var waiting: [(condition: @Sendable ([String]) -> Bool, CheckedContinuation<Void, Never>)] =
            []
    }

    private let state = Mutex(State())

    var all: [String] { state.withLock { $0.calls } }

    /// What a session has asked for, without how it connected and listed its tasks.
    var requests: [String] {
        all.filter { call in
            !["OpenSession", "Subscribe", "ListTasks"].contains { call.hasPrefix($0) }
        }
    }

    func append(_ call: String) {
        let ready = state.withLock { state in
            state.calls.append(call)
            let ready = state.waiting.filter { $0.condition(state.calls) }
            state.waiting.removeAll { $0.condition(state.calls) }
            return ready
        }
        for (_, continuation) in ready { continuation.resume() }
    }

    /// Returns when a condition holds of the calls.
    func wait(until condition: @escaping @Sendable ([String]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if condition(state.calls) { return true }
                state.waiting.append((condition, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Returns when a call has come as often.
    func wait(for call: String, count: Int = 1) async {
        await wait { calls in calls.count { $0.hasPrefix(call) } >= count }
    }
}
