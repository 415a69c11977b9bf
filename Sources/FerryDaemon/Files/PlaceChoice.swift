import FerrySystem
import Glibc
import Synchronization

/// A choice of a place, which a file system that does not answer holds up for a while and no longer.
@LoopActor
final class PlaceChoice {
    typealias Outcome = Result<FilePlaces.Place, TargetDirectory.Refusal>

    /// How long a file system has to answer.
    nonisolated static let patience = Duration.seconds(10)

    private let patience: Duration
    private let isAbandoned = Mutex(false)
    private var continuation: CheckedContinuation<Outcome?, Never>?
    private var timer: LoopTimer?

    /// Is going to make a choice.
    ///
    /// - Parameter patience: How long the file system has to answer.
    init(patience: Duration = PlaceChoice.patience) { self.patience = patience }

    /// Makes the choice off the loop.
    ///
    /// - Returns: What came of it; `nil` when that takes too long, and nothing will.
    func made(
        by queue: BlockingQueue,
        _ choose: @escaping @Sendable () -> Outcome
    ) async -> Outcome? {
        await withCheckedContinuation { continuation in
            self.continuation = continuation
            timer = EventLoop.shared.schedule(after: patience) { [self] in abandon() }
            queue.perform { [self] in
                let outcome = choose()
                LoopActor.perform { self.end(outcome) }
            }
        }
    }

    /// Does something unless nobody waits any more.
    nonisolated func unlessAbandoned<T: Sendable>(
        _ body: @Sendable () throws(SystemCallError) -> T
    ) throws(SystemCallError) -> T {
        let result: Result<T, SystemCallError> = isAbandoned.withLock { isAbandoned in
            guard !isAbandoned else {
                return .failure(SystemCallError(call: "open", errno: ETIMEDOUT))
            }
            do throws(SystemCallError) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func abandon() {
        // What is being done at this moment is done in another one.
        isAbandoned.withLock { $0 = true }
        LoopActor.perform { self.end(nil) }
    }

    private func end(_ outcome: Outcome?) {
        timer?.cancel()
        continuation?.resume(returning: outcome)
        continuation = nil
    }
}
