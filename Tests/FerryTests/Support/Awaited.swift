import Synchronization
import Testing

/// A value that tests wait for to fulfil a condition, as long as their time limit allows.
final class Awaited<Value: Sendable>: Sendable {
    private struct Waiting {
        var condition: @Sendable (Value) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var value: Value
        var waiting: [UInt64: Waiting] = [:]
        var nextKey: UInt64 = 0
    }

    private let state: Mutex<State>

    init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    var value: Value { state.withLock { $0.value } }

    func change(_ body: @Sendable (inout Value) -> Void) {
        let ready = state.withLock { state in
            body(&state.value)
            let value = state.value
            let keys = state.waiting.filter { $0.value.condition(value) }.map(\.key)
            return keys.compactMap { state.waiting.removeValue(forKey: $0) }
        }
        for waiting in ready { waiting.continuation.resume() }
    }

    /// Returns when the condition holds; records an issue when the test is cancelled before.
    func wait(
        until condition: @escaping @Sendable (Value) -> Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let key = state.withLock { state in
            state.nextKey += 1
            return state.nextKey
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if condition(state.value) || Task.isCancelled { return true }
                    state.waiting[key] = Waiting(
                        condition: condition,
                        continuation: continuation
                    )
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: key) }?.continuation.resume()
        }
        if Task.isCancelled, !condition(value) {
            Issue.record("waited in vain, with \(value)", sourceLocation: sourceLocation)
        }
    }
}
