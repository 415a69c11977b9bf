import CFerryLinux
import Glibc

/// Threads that begin work in the order in which it is given, and otherwise sleep indefinitely.
///
/// Dispatch is not used: once libdispatch has started a worker thread, it checks its thread pools every
/// second for as long as the process lives, and an idle process would never be quiet.
///
/// `@unchecked` because the compiler cannot see that the mutex guards everything that changes.
final class WorkThreads: @unchecked Sendable {
    private let name: String
    private let limit: Int
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var waiting: [@Sendable () -> Void] = []
    /// The number of items at the front that were taken; they are removed many at a time.
    private var takenCount = 0
    private var count = 0
    private var idleCount = 0
    private var isEnding = false

    /// Prepares threads, which are started when there is work for them.
    ///
    /// - Parameters:
    ///   - name: The name that the kernel shows for them.
    ///   - limit: The maximum number of threads.
    init(name: String, limit: Int = 1) {
        self.name = name
        self.limit = limit
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

    /// Adds work after all earlier work.
    func perform(_ work: @escaping @Sendable () -> Void) {
        pthread_mutex_lock(mutex)
        waiting.append(work)
        // Idle threads may not have woken up yet for earlier work.
        let mustStart = waiting.count - takenCount > idleCount && count < limit
        if mustStart { count += 1 }
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
        if mustStart { start() }
    }

    /// Lets the threads end when all work is done.
    func end() {
        pthread_mutex_lock(mutex)
        isEnding = true
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    private func start() {
        do throws(SystemCallError) {
            try DetachedThread.start(name: name) { self.run() }
        } catch {
            pthread_mutex_lock(mutex)
            count -= 1
            let others = count
            pthread_mutex_unlock(mutex)
            // Without a thread, the process cannot continue, and no caller can handle the error.
            guard others > 0 else { preconditionFailure("\(error)") }
        }
    }

    private func run() {
        while let work = next() { work() }
    }

    private func next() -> (@Sendable () -> Void)? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while waiting.count == takenCount {
            // One idle thread is enough for the next work.
            if isEnding || idleCount > 0 {
                count -= 1
                return nil
            }
            idleCount += 1
            pthread_cond_wait(condition, mutex)
            idleCount -= 1
        }
        // The work is released as soon as it is done.
        let work = waiting[takenCount]
        waiting[takenCount] = {}
        takenCount += 1
        if takenCount * 2 > waiting.count {
            waiting.removeFirst(takenCount)
            takenCount = 0
        }
        return work
    }
}
