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

    /// After this many seconds the older half of the mean weighs as much as the newer one.
    private static let halfLife = 2.0

    private var mean: Double?
    private var latest: Sample?

    /// Takes note of the bytes received so far.
    ///
    /// - Parameters:
    ///   - byteCount: The body's bytes here, also those of earlier attempts.
    ///   - instant: The time since some fixed moment.
    mutating func update(byteCount: Int64, at instant: Duration) {
        guard let latest, byteCount >= latest.byteCount else {
            // Bytes that were here before, or a start from zero: neither is speed.
            mean = nil
            latest = Sample(byteCount: byteCount, instant: instant)
            return
        }
        let elapsed = (instant - latest.instant) / .seconds(1)
        // Of two figures of one instant the next one measures over both.
        guard elapsed > 0 else { return }
        let speed = Double(byteCount - latest.byteCount) / elapsed
        let weight = 1 - exp2(-elapsed / Self.halfLife)
        mean = mean.map { $0 + weight * (speed - $0) } ?? speed
        self.latest = Sample(byteCount: byteCount, instant: instant)
    }

    /// The bytes of one second; nil while nothing can be said.
    func bytesPerSecond(at instant: Duration) -> Double? {
        guard let mean, let latest, instant - latest.instant < Self.staleAfter else { return nil }
        return mean
    }

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
