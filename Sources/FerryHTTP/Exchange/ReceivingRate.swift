/// Measures over periods whether the body of a response arrives fast enough.
///
/// A period begins with the body, after each earlier one, and anew after each pause.
struct ReceivingRate {
    typealias Instant = ContinuousClock.Instant

    /// The result of looking at the time.
    enum Verdict: Equatable {
        /// It may be looked at again after this time.
        case fine(lookAfter: Duration)
        case tooLow
    }

    /// The number of bytes per second that must arrive at least; 0 for no minimum.
    let minimum: Int64
    private var begin: Instant?
    private var byteCount: Int64 = 0

    init(minimum: Int64) { self.minimum = minimum }

    mutating func received(byteCount: Int, at now: Instant) {
        guard minimum > 0 else { return }
        if begin == nil { restart(at: now) }
        self.byteCount += Int64(byteCount)
    }

    /// Begins a period.
    mutating func restart(at now: Instant) {
        begin = now
        byteCount = 0
    }

    /// Compares what has arrived, if a period is over.
    mutating func verdict(at now: Instant, over period: Duration) -> Verdict {
        guard minimum > 0, let begin else { return .fine(lookAfter: period) }
        let elapsed = now - begin
        guard elapsed >= period else { return .fine(lookAfter: period - elapsed) }
        // If the machine was asleep, or the loop busy, bytes may have arrived that were not read yet.
        let isMeasured = elapsed < period * 2
        if isMeasured, Double(byteCount) < Double(minimum) * (elapsed / .seconds(1)) {
            return .tooLow
        }
        restart(at: now)
        return .fine(lookAfter: period)
    }
}
