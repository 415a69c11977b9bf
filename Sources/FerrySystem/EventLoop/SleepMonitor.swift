/// A monitor of whether the machine has slept, without D-Bus, for as long as there are observers.
///
/// When the machine wakes up, the kernel cancels timers as if the time of day had been set (`timerfd_resume` in
/// fs/timerfd.c); it has slept if the clock that continues meanwhile is further ahead of the one that does not. Until
/// then it causes no wake-up. Without observers there is no descriptor.
@LoopActor
package final class SleepMonitor {
    /// The process's monitor.
    package static let shared = SleepMonitor()
    /// The seconds below which a difference is none: the two clocks are read one after the other.
    private static let tolerance = 0.05

    private let sleepTime: () -> Double
    private var known = 0.0
    private var observers: [UInt64: @LoopActor () -> Void] = [:]
    private var nextKey: UInt64 = 0
    private var wallClock: WallClockObservation?

    /// Makes a monitor.
    ///
    /// - Parameter sleepTime: Returns how long the machine has slept since its start, in seconds.
    package init(sleepTime: @escaping () -> Double = { BootClock.sleepSeconds }) {
        self.sleepTime = sleepTime
    }

    /// Calls `handler` on the loop whenever the machine has slept, until the observation is cancelled.
    ///
    /// Where the kernel does not report it, `handler` is never called.
    package func observe(_ handler: @escaping @LoopActor () -> Void) -> SleepObservation {
        if observers.isEmpty {
            known = sleepTime()
            wallClock = try? WallClockObservation { [weak self] in self?.check() }
        }
        nextKey += 1
        observers[nextKey] = handler
        return SleepObservation(key: nextKey, monitor: self)
    }

    /// Notifies the observers if the machine has slept since the last check.
    package func check() {
        let now = sleepTime()
        let hasSlept = now - known > Self.tolerance
        known = now
        guard hasSlept else { return }
        for key in observers.keys.sorted() { observers[key]?() }
    }

    fileprivate func removeObserver(_ key: UInt64) {
        observers[key] = nil
        guard observers.isEmpty else { return }
        wallClock?.cancel()
        wallClock = nil
    }
}

/// An observation of a ``SleepMonitor``.
@LoopActor
package final class SleepObservation {
    private let key: UInt64
    private weak let monitor: SleepMonitor?

    fileprivate init(key: UInt64, monitor: SleepMonitor) {
        self.key = key
        self.monitor = monitor
    }

    /// Ends it; the handler is no longer called.
    package func cancel() { monitor?.removeObserver(key) }
}
