import FerryStore
import FerrySystem
import FoundationEssentials

/// The daemon's time, which advances evenly even when the time of day is set.
///
/// The daemon keeps all moments in this time. During a boot it is the boot's own clock, so that a back-off keeps its
/// length when the clock is set. After a restart of the machine it continues from the time of day, the only source
/// then. People, servers and applications use the time of day: their dates are converted.
struct DaemonClock: Hashable, Sendable {
    /// The difference between the two clocks, in seconds, up to which neither was set: the kernel keeps them together.
    static let tolerance: Double = 0.5

    /// The state to store.
    private(set) var anchor: ClockAnchor
    /// Whether the clock has not been taken up in this boot yet: moments stored before may be wrong.
    private(set) var isNewBoot: Bool

    /// Creates a clock that continues from its stored state.
    ///
    /// - Parameters:
    ///   - anchor: The stored state, if there is one.
    ///   - boot: The boot.
    ///   - wall: The time of day.
    ///   - sinceBoot: The number of seconds since the boot at that time.
    init(
        continuing anchor: ClockAnchor? = nil,
        boot: BootIdentifier = .current,
        wall: Date = Date(),
        sinceBoot: Double = BootClock.seconds
    ) {
        // A stored number may have any value.
        let anchor = anchor.flatMap { $0.start.isFinite && $0.offset.isFinite ? $0 : nil }
        isNewBoot = anchor?.boot != boot
        if let anchor, anchor.boot == boot {
            self.anchor = anchor
        } else {
            let offset = anchor?.offset ?? 0
            let start = wall.timeIntervalSince1970 - offset - sinceBoot
            self.anchor = ClockAnchor(boot: boot, start: start, offset: offset)
        }
    }

    /// Records that the moments stored before this boot were corrected as far as possible.
    mutating func takeUp() { isNewBoot = false }

    /// Returns the daemon's time at a number of seconds since the boot.
    func now(sinceBoot: Double = BootClock.seconds) -> Date {
        Date(timeIntervalSince1970: anchor.start + sinceBoot)
    }

    /// Returns the daemon's time at a time of day.
    func moment(ofWall date: Date) -> Date { date.addingTimeInterval(-anchor.offset) }

    /// Returns the time of day at a moment of the daemon's time.
    func wall(at moment: Date) -> Date { moment.addingTimeInterval(anchor.offset) }

    /// Records the time of day.
    ///
    /// - Returns: Whether it was set since the last check.
    mutating func record(
        wall: Date = Date(),
        sinceBoot: Double = BootClock.seconds
    ) -> Bool {
        let offset = wall.timeIntervalSince1970 - anchor.start - sinceBoot
        guard abs(offset - anchor.offset) > Self.tolerance else { return false }
        anchor.offset = offset
        return true
    }
}
