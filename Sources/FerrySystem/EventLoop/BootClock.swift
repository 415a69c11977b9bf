import Glibc

/// The time since the machine was started, which goes on while it sleeps and which nobody sets (clock_gettime(2)).
package enum BootClock {
    /// The seconds since then.
    package static var seconds: Double {
        var time = timespec()
        // It fails for clocks that do not exist alone.
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
