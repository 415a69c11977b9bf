import Synchronization

/// So many of something, taken by any thread.
package final class Countdown: Sendable {
    private struct State {
        var left: Int
        var taken = 0
        var waiters: [(count: Int, value: AsyncValue<Bool>)] = []
    }

    private let state: Mutex<State>

    /// There are so many.
    package init(_ count: Int) { state = Mutex(State(left: count)) }

    /// How many were taken.
    package var taken: Int { state.withLock { $0.taken } }

    /// Takes one.
    ///
    /// - Returns: Whether there was one.
    package func take() -> Bool {
        let ready: [AsyncValue<Bool>]? = state.withLock { state in
            guard state.left > 0 else { return nil }
            state.left -= 1
            state.taken += 1
            let taken = state.taken
            let ready = state.waiters.filter { $0.count <= taken }.map(\.value)
            state.waiters.removeAll { $0.count <= taken }
            return ready
        }
        for value in ready ?? [] { value.set(true) }
        return ready != nil
    }

    /// Returns when so many were taken.
    package func wait(for count: Int) async {
        let value = AsyncValue<Bool>()
        state.withLock { state in
            guard state.taken < count else { return value.set(true) }
            state.waiters.append((count, value))
        }
        _ = await value.value
    }
}
