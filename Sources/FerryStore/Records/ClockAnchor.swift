package import FerrySystem

/// The stored state of ferryd's clock.
package struct ClockAnchor: StoredRecord, Hashable, Sendable {
    /// The boot.
    package var boot: BootIdentifier
    /// The daemon's time at its start, in seconds since 1970.
    package var start: Double
    /// The number of seconds by which the time of day was ahead of the daemon's time when that was last recorded.
    package var offset: Double

    /// Creates the state.
    package init(boot: BootIdentifier, start: Double, offset: Double) {
        self.boot = boot
        self.start = start
        self.offset = offset
    }
}
