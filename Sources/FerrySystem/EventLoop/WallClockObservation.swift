import CFerryLinux
import Glibc

/// Tells when somebody has set the time of day (TFD_TIMER_CANCEL_ON_SET, timerfd_create(2)).
///
/// It is a timer of a day that never comes, which the kernel cancels when the clock is set; until then it wakes nobody.
@LoopActor
package final class WallClockObservation {
    private let timer: FileDescriptor
    private var watch: Watch?

    /// Calls `handler` on the loop whenever the clock was set.
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
            // A change is an error of read(2), ECANCELED, and is told once.
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
        // The last second that 32 bits have, on whose system calls old kernels may insist, is too near; this is in the
        // year 9999.
        specification.it_value.tv_sec = 253_402_300_799
        return timerfd_settime(
            descriptor,
            Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET),
            &specification,
            nil
        )
    }
}
