import CFerryLinux
import Glibc

/// The facilities of the event loop: descriptors to watch and timers.
@LoopActor
package final class EventLoop {
    /// The process's event loop.
    package static let shared = EventLoop()

    private var watches: [UInt64: Watch] = [:]
    /// The key of the watch that a descriptor's registration with the kernel belongs to.
    private var owners: [Int32: UInt64] = [:]
    private var nextKey: UInt64 = 1 << 32
    private let timers = LoopTimerQueue()

    private init() {}

    /// Starts the loop, and throws if that fails; otherwise the first use starts it.
    ///
    /// - Throws: The call that has failed; the process should then end.
    package nonisolated static func start() throws(SystemCallError) {
        _ = try LoopThread.made.get()
    }

    /// The time on the loop's clock, which continues while the machine sleeps.
    package static var now: ContinuousClock.Instant { ContinuousClock.now }

    /// Calls `handler` whenever `descriptor` is ready for any of `readiness`, until the watch is cancelled.
    ///
    /// Level triggered: a handler that leaves bytes unread is called again.
    ///
    /// - Parameters:
    ///   - descriptor: Must stay open until the watch is cancelled.
    ///   - readiness: What to wait for; a hang-up is always reported.
    ///   - handler: Called on the loop.
    /// - Returns: The watch, to change or cancel.
    /// - Throws: `epoll_ctl`, for a descriptor that cannot be watched (`EPERM`) or is watched already
    ///   (`EEXIST`).
    package func watch(
        _ descriptor: Int32,
        for readiness: Readiness,
        handler: @escaping @LoopActor (Readiness) -> Void
    ) throws(SystemCallError) -> Watch {
        // The key, not the descriptor, identifies the watch: a descriptor's number may be reused within one
        // round of events.
        nextKey += 1
        let watch = Watch(key: nextKey, descriptor: descriptor, handler: handler)
        try control(EPOLL_CTL_ADD, watch, readiness)
        watches[watch.key] = watch
        owners[descriptor] = watch.key
        return watch
    }

    /// Calls `handler` once on the loop when `delay` has passed; a negative delay counts as zero.
    package func schedule(
        after delay: Duration,
        handler: @escaping @LoopActor () -> Void
    ) -> LoopTimer {
        timers.schedule(at: EventLoop.now + max(delay, .zero), handler: handler)
    }

    func dispatch(_ event: epoll_event) {
        watches[event.data.u64]?.fire(Readiness(rawValue: event.events))
    }

    func timersAreDue() { timers.fireDue() }

    func update(_ watch: Watch, _ readiness: Readiness) throws(SystemCallError) {
        try control(EPOLL_CTL_MOD, watch, readiness)
    }

    func remove(_ watch: Watch) {
        guard watches.removeValue(forKey: watch.key) != nil else { return }
        // A descriptor that was closed too early may be another one by now, with its own watch.
        guard owners[watch.descriptor] == watch.key else { return }
        owners[watch.descriptor] = nil
        var event = epoll_event()
        epoll_ctl(LoopThread.shared.epoll, EPOLL_CTL_DEL, watch.descriptor, &event)
    }

    private func control(
        _ operation: Int32,
        _ watch: Watch,
        _ readiness: Readiness
    ) throws(SystemCallError) {
        var event = epoll_event(events: readiness.rawValue, data: epoll_data(u64: watch.key))
        try systemCall("epoll_ctl", "descriptor \(watch.descriptor)") {
            epoll_ctl(LoopThread.shared.epoll, operation, watch.descriptor, &event)
        }
    }
}
