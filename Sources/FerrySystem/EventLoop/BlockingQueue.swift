/// A queue for work that blocks: fsync, SQLite, copies, files that may be on a dead server.
///
/// It has its own threads, which are started when there is work, and sleep otherwise. By default there is
/// one, so that each piece of work begins when the previous one is done. With more, a piece that hangs delays
/// no other until as many hang as there are threads.
package final class BlockingQueue: Sendable {
    private let threads: WorkThreads
    private let threadLimit: Int

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - label: The name of the threads, of which the kernel shows 15 bytes.
    ///   - threadLimit: The maximum number of threads.
    package init(label: String, threadLimit: Int = 1) {
        self.threadLimit = threadLimit
        threads = WorkThreads(name: String(label.prefix(15)), limit: threadLimit)
    }

    deinit { threads.end() }

    /// Runs `work`, which begins after all earlier work has begun, and returns its result.
    @LoopActor
    package func run<T: Sendable, E: Error>(
        _ work: @escaping @Sendable () throws(E) -> T
    ) async throws(E) -> T {
        let result: Result<T, E> = await withCheckedContinuation { continuation in
            threads.perform {
                do throws(E) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Runs `work`, which begins after all earlier work has begun, without waiting for it.
    package func perform(_ work: @escaping @Sendable () -> Void) {
        threads.perform(work)
    }

    /// Runs `work` for many items at the same time and waits for all of them.
    ///
    /// The calling thread works on items, too, so that the call ends even if all threads of the queue hang.
    ///
    /// - Parameters:
    ///   - count: The number of items.
    ///   - work: Called once with the number of each item, from 0.
    /// - Returns: What `work` returned, in the order of the items.
    package func concurrentPerform<T: Sendable>(
        count: Int,
        _ work: @escaping @Sendable (Int) -> T
    ) -> [T] {
        let shared = SharedWork(count: count, work: work)
        for _ in 1..<max(1, min(count, threadLimit + 1)) { threads.perform { shared.takePart() } }
        shared.takePart()
        return shared.results()
    }
}
