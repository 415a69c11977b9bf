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
    package static var seconds: Double {
        var time = timespec()
        // It fails only for clocks that do not exist.
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
