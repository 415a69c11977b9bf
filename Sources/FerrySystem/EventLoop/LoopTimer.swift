/// A call on the event loop that is due once, after a delay.
@LoopActor
package final class LoopTimer {
    /// When the handler is due.
    package let deadline: ContinuousClock.Instant
    let key: UInt64
    private var handler: (@LoopActor () -> Void)?
    private weak var queue: LoopTimerQueue?

    init(
        deadline: ContinuousClock.Instant,
        key: UInt64,
        queue: LoopTimerQueue,
        handler: @escaping @LoopActor () -> Void
    ) {
        self.deadline = deadline
        self.key = key
        self.queue = queue
        self.handler = handler
    }

    /// Whether the handler is yet to be called.
    package var isPending: Bool { handler != nil }

    /// Prevents the handler from being called, and releases it.
    package func cancel() {
        guard handler != nil else { return }
        handler = nil
        queue?.cancelled()
    }

    func fire() {
        guard let handler else { return }
        self.handler = nil
        handler()
    }
}
