import Foundation

/// The speed of a transfer as an exponentially weighted mean: steady to the eye, quick to follow.
struct TransferSpeed: Hashable, Sendable {
    /// The byte count at a moment.
    private struct Sample: Hashable {
        let byteCount: Int64
        let instant: Duration
    }

    /// The time without news after which a speed is no longer valid.
    static let staleAfter: Duration = .seconds(3)

    /// The age, in seconds, at which a second weighs half as much as the latest one.
    private static let halfLife = 2.0
    /// The minimum number of measured seconds: in less time, a full buffer or none is no speed.
    private static let shortest = 0.1

    /// The weighted speeds of all seconds, as if the speed was zero before the first of them.
    private var sum = 0.0
    /// The number of seconds for which bytes were counted.
    private var measured = 0.0
    private var latest: Sample?

    /// Records the number of bytes received so far.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes so far, including those of earlier attempts.
    ///   - instant: The time since some fixed moment.
    mutating func update(byteCount: Int64, at instant: Duration) {
        guard let latest, byteCount >= latest.byteCount else {
            // Earlier bytes and a restart from zero do not count as speed.
            self = TransferSpeed()
            latest = Sample(byteCount: byteCount, instant: instant)
            return
        }
        let elapsed = (instant - latest.instant) / .seconds(1)
        // With two figures at one instant, the next one measures over both.
        guard elapsed > 0 else { return }
        let speed = Double(byteCount - latest.byteCount) / elapsed
        sum += Self.weight(of: elapsed) * (speed - sum)
        measured += elapsed
        self.latest = Sample(byteCount: byteCount, instant: instant)
    }

    /// Returns the bytes per second; nil while the speed is unknown.
    func bytesPerSecond(at instant: Duration) -> Double? {
        guard measured >= Self.shortest, let latest,
            instant - latest.instant < Self.staleAfter
        else { return nil }
        // The speed before the first second is unknown, not zero: it must not lower the mean.
        return sum / Self.weight(of: measured)
    }

    /// Returns the weight of the latest seconds, where all time weighs 1.
    private static func weight(of seconds: Double) -> Double { 1 - exp2(-seconds / halfLife) }

    /// Returns the time that the rest takes at this speed; nil while it is unknown.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes still missing.
    ///   - instant: The time since the same fixed moment.
    /// - Returns: The time; nil while it is unknown.
    func timeLeft(for byteCount: Int64, at instant: Duration) -> Duration? {
        guard let speed = bytesPerSecond(at: instant), speed >= 1 else { return nil }
        return .seconds(min(Double(max(0, byteCount)) / speed, 1e9).rounded(.up))
    }
}

/// Decides when progress is worth a line in a log, where lines cannot be redrawn.
struct OccasionalReport {
    /// The minimum time between two lines about a transfer whose state does not change.
    static let interval: Duration = .seconds(10)

    private struct Reported {
        var state: TransferRow.State
        var instant: Duration
    }

    private var reported: [TransferRow.ID: Reported] = [:]

    /// Returns the transfers about which a line is due.
    ///
    /// - Parameters:
    ///   - rows: All followed transfers.
    ///   - instant: The time since some fixed moment.
    /// - Returns: The transfers about which to write a line.
    mutating func due(_ rows: [TransferRow], at instant: Duration) -> [TransferRow] {
        rows.filter { row in
            if case .waiting(let hold) = row.state, hold?.isItsTurn ?? true { return false }
            if let last = reported[row.id], last.state == row.state,
                row.isOver || instant - last.instant < Self.interval
            {
                return false
            }
            reported[row.id] = Reported(state: row.state, instant: instant)
            return true
        }
    }
}
