import Glibc

/// The time of day, which may be set forward and back while a process runs.
package enum WallClock {
    /// The seconds since 1970, to the kernel's precision.
    package static var secondsSince1970: Double {
        var time = timespec()
        // It fails for clocks that do not exist alone.
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

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
