import FoundationEssentials

extension DaemonStateMachine.RunningTask {
    /// How many bytes a transfer carries per second, over the last seconds.
    struct Speed: Hashable, Sendable {
        /// The time over which it is measured, in seconds; also the time without bytes after which it is zero.
        private static let interval: Double = 3
        /// The time after which it is first known, in seconds: in less, a full buffer or none is no speed.
        private static let shortest: Double = 0.2

        private struct Sample: Hashable, Sendable {
            var byteCount: Int64
            var date: Date
        }

        /// Where the present measurement began, and the one before it.
        private var start: Sample?
        private var earlier: Sample?
        private var latest: Sample?

        /// Records the number of bytes carried by now.
        mutating func record(_ byteCount: Int64, at now: Date) {
            let sample = Sample(byteCount: byteCount, date: now)
            guard let start, let latest, byteCount >= latest.byteCount else {
                // Bytes of earlier attempts do not count as speed.
                (self.start, earlier, self.latest) = (sample, nil, sample)
                return
            }
            self.latest = sample
            guard now.timeIntervalSince(start.date) >= Self.interval else { return }
            earlier = start
            self.start = sample
        }

        /// Returns the bytes per second; `nil` while that is not known.
        func bytesPerSecond(at now: Date) -> Int? {
            guard let first = earlier ?? start, let latest else { return nil }
            guard now.timeIntervalSince(latest.date) < Self.interval else { return 0 }
            let seconds = now.timeIntervalSince(first.date)
            guard seconds >= Self.shortest else { return nil }
            return Int(min(Double(latest.byteCount - first.byteCount) / seconds, 1e15))
        }
    }
}
