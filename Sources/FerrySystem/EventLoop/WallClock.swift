import CFerryLinux
import Glibc

/// The time of day, which may be set forward and back while a process runs.
package enum WallClock {
    /// The seconds since 1970, to the kernel's precision.
    package static var secondsSince1970: Double {
        var time = timespec()
        // It fails only for clocks that do not exist.
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The time since the machine was started, which continues while it sleeps and cannot be set
/// (clock_gettime(2)).
package enum BootClock {
    /// The seconds since the start.
    package static var seconds: Double { seconds(of: CLOCK_BOOTTIME) }

    /// The seconds since the start for which the machine has slept.
    package static var sleepSeconds: Double {
        // The other clock stands still meanwhile.
        let awake = seconds(of: CLOCK_MONOTONIC)
        return seconds(of: CLOCK_BOOTTIME) - awake
    }

    private static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        // It fails only for clocks that do not exist.
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// An observation of changes to the time of day (TFD_TIMER_CANCEL_ON_SET, timerfd_create(2)).
///
/// It is a timer for a day that never comes, which the kernel cancels when the clock is set; until then it
/// causes no wake-up.
@LoopActor
package final class WallClockObservation {
    private let timer: FileDescriptor
    private var watch: Watch?

    /// Calls `handler` on the loop whenever the clock is set.
    ///
    /// - Throws: `timerfd_create`, `timerfd_settime` or `epoll_ctl`.
    package init(handler: @escaping @LoopActor () -> Void) throws(SystemCallError) {
        let opened = FileDescriptor(
            owning: try systemCall("timerfd_create") {
                timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
            }
        )
        let raw = opened.rawValue
        timer = opened
        try systemCall("timerfd_settime") { Self.arm(raw) }
        watch = try EventLoop.shared.watch(raw, for: .readable) { _ in
            var count: UInt64 = 0
            let size = MemoryLayout<UInt64>.size
            // After a change, read(2) fails once, with ECANCELED.
            let isSet = read(raw, &count, size) != size && errno == ECANCELED
            _ = Self.arm(raw)
            if isSet { handler() }
        }
    }

    /// Stops listening.
    package func cancel() {
        watch?.cancel()
        watch = nil
    }

    private nonisolated static func arm(_ descriptor: Int32) -> Int32 {
        var specification = itimerspec()
        // The last second of a 32-bit time, which the system calls of old kernels may require, is too near;
        // this is in the year 9999.
        specification.it_value.tv_sec = 253_402_300_799
        return timerfd_settime(
            descriptor,
            Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET),
            &specification,
            nil
        )
    }
}
