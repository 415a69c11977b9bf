import FerrySystem
import FoundationEssentials

/// The daemon's time, which goes on evenly whatever becomes of the time of day.
///
/// All moments that the daemon keeps are of this time. While a boot lasts it is the boot's own clock, so that a back-off
/// takes as long as it should when somebody sets the clock. Over a restart of the machine it goes on by the time of day,
/// which is all that there is. People, servers and applications have the time of day: a date of theirs is translated.
struct DaemonClock: Hashable, Sendable {
    /// What is kept of it.
    struct Anchor: StoredRecord, Hashable, Sendable {
        /// The boot.
        var boot: BootIdentifier
        /// The daemon's time at its start, in seconds since 1970.
        var start: Double
        /// By how much the time of day was ahead of the daemon's when that was last noticed, in seconds.
        var offset: Double
    }

    /// By how much the two may differ without one being set: the kernel keeps them together.
    static let tolerance: Double = 0.5

    /// What is to be kept.
    private(set) var anchor: Anchor
    /// Whether the clock was not taken up in this boot: moments that were stored before may be wrong.
    private(set) var isNewBoot: Bool

    /// A clock that goes on from what was kept.
    ///
    /// - Parameters:
    ///   - anchor: What was kept, if anything was.
    ///   - boot: The boot.
    ///   - wall: The time of day.
    ///   - sinceBoot: How many seconds the boot has lasted by then.
    init(
        continuing anchor: Anchor? = nil,
        boot: BootIdentifier = .current,
        wall: Date = Date(),
        sinceBoot: Double = BootClock.seconds
    ) {
        // What stands in a file may be any number.
        let anchor = anchor.flatMap { $0.start.isFinite && $0.offset.isFinite ? $0 : nil }
        isNewBoot = anchor?.boot != boot
        if let anchor, anchor.boot == boot {
            self.anchor = anchor
        } else {
            let offset = anchor?.offset ?? 0
            let start = wall.timeIntervalSince1970 - offset - sinceBoot
            self.anchor = Anchor(boot: boot, start: start, offset: offset)
        }
    }

    /// The moments that were stored before this boot are as right as they can be.
    mutating func takeUp() { isNewBoot = false }

    /// The daemon's time after so many seconds of the boot.
    func now(sinceBoot: Double = BootClock.seconds) -> Date {
        Date(timeIntervalSince1970: anchor.start + sinceBoot)
    }

    /// The daemon's time at a time of day.
    func moment(ofWall date: Date) -> Date { date.addingTimeInterval(-anchor.offset) }

    /// The time of day at a moment of the daemon's.
    func wall(at moment: Date) -> Date { moment.addingTimeInterval(anchor.offset) }

    /// Records the time of day.
    ///
    /// - Returns: Whether it was set since it was last looked at.
    mutating func note(
        wall: Date = Date(),
        sinceBoot: Double = BootClock.seconds
    ) -> Bool {
        let offset = wall.timeIntervalSince1970 - anchor.start - sinceBoot
        guard abs(offset - anchor.offset) > Self.tolerance else { return false }
        anchor.offset = offset
        return true
    }
}
