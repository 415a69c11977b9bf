import FerrySystem
import Synchronization

/// A choice of a place, which a file system that does not answer holds up for a while and no longer.
@LoopActor
final class PlaceChoice {
    typealias Outcome = Result<FilePlaces.Place, FilePlaces.Refusal>

    private enum State: UInt8, AtomicRepresentable {
        case isOpen, isSettled, isAbandoned
    }

    /// How long a file system has to answer.
    nonisolated static let patience = Duration.seconds(10)

    private let patience: Duration
    /// The loop never waits for what makes the choice.
    nonisolated private let state = Atomic(State.isOpen)
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

    /// Makes sure that what is decided now is waited for, however long it takes from here on.
    ///
    /// - Returns: Whether it is; if not, nobody waits any more, and nothing is to be done.
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
