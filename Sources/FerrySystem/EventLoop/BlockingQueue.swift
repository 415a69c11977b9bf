/// A serial queue for work that blocks: fsync, SQLite, copies.
///
/// It has a thread of its own, which is started by the first work and sleeps when there is none.
package final class BlockingQueue: Sendable {
    private let thread: WorkThread

    /// Creates a queue.
    ///
    /// - Parameter label: The name of the thread, of which the kernel shows 15 bytes.
    package init(label: String) {
        thread = WorkThread(name: String(label.prefix(15)))
    }

    deinit { thread.end() }

    /// Runs `work` after all work given before, and returns what it returns.
    @LoopActor
    package func run<T: Sendable, E: Error>(
        _ work: @escaping @Sendable () throws(E) -> T
    ) async throws(E) -> T {
        let result: Result<T, E> = await withCheckedContinuation { continuation in
            thread.perform {
                do throws(E) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Runs `work` after all work given before, without waiting for it.
    package func perform(_ work: @escaping @Sendable () -> Void) {
        thread.perform(work)
    }
}
