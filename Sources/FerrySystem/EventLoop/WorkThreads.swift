import CFerryLinux
import Glibc

/// A thread that does work in the order in which it is given, and sleeps without limit otherwise.
///
/// Not Dispatch: once it has started a worker thread, libdispatch looks at its thread pools every
/// second for as long as the process lives, and an idle process would never be quiet.
///
/// `@unchecked` because the compiler cannot see that the mutex guards everything that changes.
final class WorkThread: @unchecked Sendable {
    private let name: String
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var waiting: [@Sendable () -> Void] = []
    private var isStarted = false
    private var isEnding = false

    /// Prepares a thread, which is started by the first work.
    init(name: String) {
        self.name = name
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

    /// Adds work after all work given before.
    func perform(_ work: @escaping @Sendable () -> Void) {
        pthread_mutex_lock(mutex)
        waiting.append(work)
        let mustStart = !isStarted
        isStarted = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
        if mustStart { start() }
    }

    /// Lets the thread end when it has done everything.
    func end() {
        pthread_mutex_lock(mutex)
        isEnding = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    private func start() {
        do throws(SystemCallError) {
            try DetachedThread.start(name: name) { self.run() }
        } catch {
            // A process that gets no thread cannot go on, and there is no caller to tell.
            preconditionFailure("\(error)")
        }
    }

    private func run() {
        while let batch = next() {
            for work in batch { work() }
        }
    }

    private func next() -> [@Sendable () -> Void]? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while waiting.isEmpty {
            if isEnding { return nil }
            pthread_cond_wait(condition, mutex)
        }
        defer { waiting = [] }
        return waiting
    }
}
