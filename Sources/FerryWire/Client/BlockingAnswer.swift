import Dispatch
import Synchronization

/// An answer that a thread waits for.
final class BlockingAnswer<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, CallError>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    /// The answer is there.
    func give(_ answer: Result<Value, CallError>) {
        result.withLock { $0 = answer }
        isThere.signal()
    }

    /// Blocks until the answer is there.
    func wait(timeout: Duration) throws(CallError) -> Value {
        let nanoseconds = min(max(timeout / .nanoseconds(1), 0), Double(Int32.max) * 1e9)
        _ = isThere.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
        guard let answer = result.withLock({ $0 }) else { throw .timedOut }
        return try answer.get()
    }
}
