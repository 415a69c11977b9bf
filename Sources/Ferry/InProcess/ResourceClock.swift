import FerrySystem

/// The resource timeout of a task, which runs only while the task does.
@LoopActor
struct ResourceClock {
    private var remaining: Duration?
    private var started: ContinuousClock.Instant?
    private var timer: LoopTimer?

    /// Creates a stopped clock.
    ///
    /// - Parameter seconds: The timeout; zero or less, or 1e9 or more, means no limit.
    init(seconds: Double) {
        remaining = seconds > 0 && seconds < 1e9 ? .seconds(seconds) : nil
    }

    mutating func start(handler: @escaping @LoopActor () -> Void) {
        guard let remaining, timer == nil else { return }
        started = EventLoop.now
        timer = EventLoop.shared.schedule(after: remaining, handler: handler)
    }

    mutating func stop() {
        timer?.cancel()
        timer = nil
        if let remaining, let started { self.remaining = remaining - (EventLoop.now - started) }
        started = nil
    }
}
