import Synchronization

/// Waits for a value that a call's handler brings, or for the cancellation of the surrounding Swift task, whichever
/// comes first.
///
/// - Parameters:
///   - substitute: The value after a cancellation.
///   - begin: Makes the call, and passes on the handler's value. It is not called in a Swift task that was cancelled
///     before; a call that has begun goes on after a cancellation.
/// - Returns: The value.
func valueUnlessCancelled<Value: Sendable>(
    orElse substitute: @autoclosure @escaping @Sendable () -> Value,
    _ begin: (@escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
    let waiter = Waiter<Value>()
    return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            guard waiter.wait(continuation) else {
                return continuation.resume(returning: substitute())
            }
            begin { waiter.resume(returning: $0) }
        }
    } onCancel: {
        if waiter.cancel() { waiter.resume(returning: substitute()) }
    }
}

/// A Swift task that waits for one of two events.
private final class Waiter<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, Never>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// - Returns: false if there is nothing to wait for.
    func wait(_ continuation: CheckedContinuation<Value, Never>) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.continuation = continuation
            return true
        }
    }

    /// - Returns: Whether a caller waits.
    func cancel() -> Bool {
        state.withLock { state in
            state.isCancelled = true
            return state.continuation != nil
        }
    }

    /// Ends the wait, unless it has ended.
    func resume(returning value: Value) {
        let continuation = state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: value)
    }
}
