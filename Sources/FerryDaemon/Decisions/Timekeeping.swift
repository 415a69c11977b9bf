/// What time it is, and whether the tasks that wait for a time of day are being looked through.
struct Timekeeping: Hashable, Sendable {
    private enum Pass: Hashable, Sendable {
        case none
        case underWay
        /// The clock was set since it began.
        case stale
    }

    /// What time it is.
    private(set) var clock: DaemonClock
    private var pass = Pass.none

    init(clock: DaemonClock) { self.clock = clock }

    /// Whether the tasks are being looked through.
    var isPassUnderWay: Bool { pass != .none }

    /// The clock may have been set.
    ///
    /// - Returns: Whether it was.
    mutating func set(_ clock: DaemonClock) -> Bool {
        guard clock != self.clock else { return false }
        self.clock = clock
        return true
    }

    /// The clock is taken up in this boot.
    mutating func takeUp() { clock.takeUp() }

    /// The tasks are to be looked through.
    ///
    /// - Returns: Whether that begins now; otherwise it begins once more when it is over.
    mutating func beginPass() -> Bool {
        pass = pass == .none ? .underWay : .stale
        return pass == .underWay
    }

    /// All of them were looked at, or the store could not be read.
    ///
    /// - Returns: Whether they are to be looked through once more.
    mutating func endPass() -> Bool {
        defer { pass = .none }
        return pass == .stale
    }
}
