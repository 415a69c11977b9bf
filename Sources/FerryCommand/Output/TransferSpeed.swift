import Foundation

/// The speed of a transfer as an exponentially weighted mean: steady to the eye, quick to follow.
struct TransferSpeed: Hashable, Sendable {
    /// A figure of a moment.
    private struct Sample: Hashable {
        let byteCount: Int64
        let instant: Duration
    }

    /// After this long without news, a speed tells nothing any more.
    static let staleAfter: Duration = .seconds(3)

    /// A second that is so many seconds past weighs half as much as the last one.
    private static let halfLife = 2.0
    /// Of less than so many seconds nothing can be said: a buffer full of bytes, or none, is no speed.
    private static let shortest = 0.1

    /// The weighted speeds of all seconds, as if there was nothing before the first of them.
    private var sum = 0.0
    /// For how many seconds bytes were counted.
    private var measured = 0.0
    private var latest: Sample?

    /// Records the number of bytes received so far.
    ///
    /// - Parameters:
    ///   - byteCount: The body's bytes here, also those of earlier attempts.
    ///   - instant: The time since some fixed moment.
    mutating func update(byteCount: Int64, at instant: Duration) {
        guard let latest, byteCount >= latest.byteCount else {
            // Bytes that were here before, or a start from zero: neither is speed.
            self = TransferSpeed()
            latest = Sample(byteCount: byteCount, instant: instant)
            return
        }
        let elapsed = (instant - latest.instant) / .seconds(1)
        // Of two figures of one instant the next one measures over both.
        guard elapsed > 0 else { return }
        let speed = Double(byteCount - latest.byteCount) / elapsed
        sum += Self.weight(of: elapsed) * (speed - sum)
        measured += elapsed
        self.latest = Sample(byteCount: byteCount, instant: instant)
    }

    /// The bytes of one second; nil while nothing can be said.
    func bytesPerSecond(at instant: Duration) -> Double? {
        guard measured >= Self.shortest, let latest,
            instant - latest.instant < Self.staleAfter
        else { return nil }
        // What there was before the first second does not count: it was not nothing.
        return sum / Self.weight(of: measured)
    }

    /// How much the last seconds weigh, of 1 for all time.
    private static func weight(of seconds: Double) -> Double { 1 - exp2(-seconds / halfLife) }

    /// How long the rest takes at this speed; nil while nothing can be said.
    ///
    /// - Parameters:
    ///   - byteCount: The bytes still to come.
    ///   - instant: The time since the same fixed moment.
    /// - Returns: The time; nil while nothing can be said.
    func timeLeft(for byteCount: Int64, at instant: Duration) -> Duration? {
        guard let speed = bytesPerSecond(at: instant), speed >= 1 else { return nil }
        return .seconds(min(Double(max(0, byteCount)) / speed, 1e9).rounded(.up))
    }
}
