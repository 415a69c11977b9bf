import CFerryLinux
import Glibc

/// Threads that begin work in the order in which it is given.
///
/// Without work, one sleeps indefinitely, and the others end soon.
///
/// Dispatch is not used: once libdispatch has started a worker thread, it checks its thread pools every
/// second for as long as the process lives, and an idle process would never be quiet.
///
/// `@unchecked` because the compiler cannot see that the mutex guards everything that changes.
final class WorkThreads: @unchecked Sendable {
    /// The time for which a thread that is not the only idle one waits for work, in nanoseconds: work that comes in
    /// bursts finds it.
    private static let idleTime = 200_000_000

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
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
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
            guard others > 0 else { MissingResource.endProcess("no thread can be started", error) }
        }
    }

    private func run() {
        while let work = next() { work() }
    }

    /// Sleeps until there may be work.
    ///
    /// - Returns: Whether to look for it; otherwise none has come, and another thread is there for the next.
    private func waitForWork() -> Bool {
        idleCount += 1
        defer { idleCount -= 1 }
        guard idleCount > 1 else { return pthread_cond_wait(condition, mutex) == 0 }
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let nanoseconds = Int(end.tv_nsec) + Self.idleTime
        end.tv_sec += nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        let result = pthread_cond_timedwait(condition, mutex, &end)
        return result != ETIMEDOUT || waiting.count > takenCount || idleCount == 1
    }

    private func next() -> (@Sendable () -> Void)? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while waiting.count == takenCount {
            guard !isEnding, waitForWork() else {
                count -= 1
                return nil
            }
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
