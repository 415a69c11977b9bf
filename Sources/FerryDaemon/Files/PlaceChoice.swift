import FerrySystem
import Synchronization

/// A choice of a place, which is abandoned if the file system does not respond in time.
@LoopActor
final class PlaceChoice {
    typealias Outcome = Result<FilePlaces.Place, FilePlaces.Refusal>

    private enum State: UInt8, AtomicRepresentable {
        case isOpen, isSettled, isAbandoned
    }

    /// The time that a file system has to respond.
    nonisolated static let timeout = Duration.seconds(10)

    private let timeout: Duration
    /// The state of the choice; atomic, as the loop never waits for the thread that chooses.
    nonisolated private let state = Atomic(State.isOpen)
    private var continuation: CheckedContinuation<Outcome?, Never>?
    private var timer: LoopTimer?

    /// Prepares a choice.
    ///
    /// - Parameter timeout: The time that the file system has to respond.
    init(timeout: Duration = PlaceChoice.timeout) { self.timeout = timeout }

    /// Makes the choice off the loop.
    ///
    /// - Returns: The outcome; `nil` if it takes too long and the choice is abandoned.
    func made(
        by queue: BlockingQueue,
        _ choose: @escaping @Sendable () -> Outcome
    ) async -> Outcome? {
        await withCheckedContinuation { continuation in
            self.continuation = continuation
            timer = EventLoop.shared.schedule(after: timeout) { [self] in abandon() }
            queue.perform { [self] in
                let outcome = choose()
                LoopActor.perform { self.end(outcome) }
            }
        }
    }

    /// Ensures that the choice is waited for from now on, however long it takes.
    ///
    /// - Returns: Whether it is; if not, it was abandoned, and nothing is to be done.
    nonisolated func settle() -> Bool { change(to: .isSettled) }

    private func abandon() {
        if change(to: .isAbandoned) { end(nil) }
    }

    nonisolated private func change(to next: State) -> Bool {
        state.compareExchange(
            expected: .isOpen,
            desired: next,
            ordering: .acquiringAndReleasing
        ).exchanged
    }

    private func end(_ outcome: Outcome?) {
        timer?.cancel()
        continuation?.resume(returning: outcome)
        continuation = nil
    }
}
