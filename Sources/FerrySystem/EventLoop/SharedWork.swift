import Glibc

/// Numbered items of work that several threads share: each takes the next one until none is left.
///
/// `@unchecked` because the compiler cannot see that the mutex guards everything that changes.
final class SharedWork<Value: Sendable>: @unchecked Sendable {
    private let work: @Sendable (Int) -> Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var values: [Value?]
    private var takenCount = 0
    private var doneCount = 0

    /// Prepares work.
    ///
    /// - Parameters:
    ///   - count: The number of items.
    ///   - work: Called once with the number of each item, from 0, on any of the threads.
    init(count: Int, work: @escaping @Sendable (Int) -> Value) {
        self.work = work
        values = Array(repeating: nil, count: count)
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Works on items that no other thread has taken, until there are none.
    func takePart() {
        while let item = take() { finish(item, with: work(item)) }
    }

    /// Waits for the items that other threads have taken.
    ///
    /// - Returns: What the work returned, in the order of the items.
    func results() -> [Value] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while doneCount < values.count { pthread_cond_wait(condition, mutex) }
        return values.compactMap { $0 }
    }

    private func take() -> Int? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard takenCount < values.count else { return nil }
        takenCount += 1
        return takenCount - 1
    }

    private func finish(_ item: Int, with value: Value) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        values[item] = value
        doneCount += 1
        if doneCount == values.count { pthread_cond_signal(condition) }
    }
}
