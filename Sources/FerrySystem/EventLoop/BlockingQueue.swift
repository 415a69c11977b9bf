import Dispatch

/// A serial queue for work that blocks: fsync, SQLite, copies.
///
/// Its thread comes from Dispatch's pool and is given back when there is nothing to do.
package final class BlockingQueue: Sendable {
    private let queue: DispatchQueue

    /// Creates a queue.
    ///
    /// - Parameter label: The queue's name, for debuggers.
    package init(label: String) {
        queue = DispatchQueue(label: label, qos: .utility)
    }

    /// Runs `work` after all work given before, and returns what it returns.
    package func run<T: Sendable, E: Error>(
        _ work: @escaping @Sendable () throws(E) -> T
    ) async throws(E) -> T {
        let result: Result<T, E> = await withCheckedContinuation { continuation in
            queue.async {
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
        queue.async(execute: work)
    }
}
