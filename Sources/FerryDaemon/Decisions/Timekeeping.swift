/// The clock, and the state of the pass over the tasks that wait for a time of day.
struct Timekeeping: Hashable, Sendable {
    private enum Pass: Hashable, Sendable {
        case none
        case underWay
        /// The clock was set since it began.
        case stale
    }

    /// The clock.
    private(set) var clock: DaemonClock
    private var pass = Pass.none

    init(clock: DaemonClock) { self.clock = clock }

    /// Whether a pass is under way.
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

    /// Begins a pass over the tasks, or requests another one.
    ///
    /// - Returns: Whether it begins now; otherwise another one begins when the current one is over.
    mutating func beginPass() -> Bool {
        pass = pass == .none ? .underWay : .stale
        return pass == .underWay
    }

    /// Ends a pass, which is complete or has failed.
    ///
    /// - Returns: Whether another pass was requested.
    mutating func endPass() -> Bool {
        defer { pass = .none }
        return pass == .stale
    }
}
