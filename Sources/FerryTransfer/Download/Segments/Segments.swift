/// Divides what is missing of a body among the connections that fetch it.
///
/// A part is asked for as exactly what it is to bring, so that nothing comes twice. Only where a connection is
/// asked for more than it is left with, as the first one is, which began when it was alone, it is cut when it
/// meets the part of another.
struct Segments: Hashable, Sendable {
    /// What one connection fetches.
    struct Part: Hashable, Sendable {
        /// The first byte that it was asked for.
        let start: Int64
        /// Where its next byte goes.
        var position: Int64
        /// Where it is to stop.
        var limit: Int64
        /// Where its answer ends.
        var end: Int64
        /// Which of the sources it comes from.
        var source = 0
        /// Whether the owner has lent a connection for it, beside the one that every download has.
        var isExtra = false
        /// Whether its answer has begun.
        var isReceiving = false
        /// When it has brought something, or was asked for; `nil` as long as nobody looks.
        var touched: ContinuousClock.Instant?

        /// What is still to come.
        var rest: Range<Int64> { position..<max(position, limit) }
        /// How many bytes that are.
        var missing: Int64 { rest.byteCount }
    }

    /// The length of the whole.
    let totalByteCount: Int64
    /// What nobody fetches yet.
    private(set) var unassigned: ByteRanges
    /// What is being fetched, by the connections' numbers.
    private(set) var parts: [Int: Part] = [:]

    init(totalByteCount: Int64, unassigned: ByteRanges) {
        self.totalByteCount = totalByteCount
        self.unassigned = unassigned
    }

    /// How many bytes are still to come.
    var missing: Int64 { unassigned.byteCount + parts.values.reduce(0) { $0 + $1.missing } }

    /// What is there.
    var written: ByteRanges {
        var missing = unassigned
        for part in parts.values { missing.insert(part.rest) }
        return missing.gaps(upTo: totalByteCount)
    }

    /// The connections that have brought nothing since a time.
    func stalled(since time: ContinuousClock.Instant) -> [Int] {
        parts.filter { $0.value.touched.map { $0 <= time } ?? false }.keys.sorted()
    }

    /// How many connections bring bytes.
    var receivingCount: Int { parts.values.count { $0.isReceiving } }

    /// Whether the connection that every download has is free.
    var isOwnConnectionFree: Bool { parts.values.allSatisfy(\.isExtra) }

    subscript(part: Int) -> Part? {
        get { parts[part] }
        set { parts[part] = newValue }
    }

    /// Ends a part; what it has not brought is nobody's.
    mutating func end(_ identifier: Int) -> Part? {
        guard let part = parts.removeValue(forKey: identifier) else { return nil }
        unassigned.insert(part.rest)
        return part
    }

    /// Has what was to be fetched be nobody's.
    mutating func giveBack(_ range: Range<Int64>) { unassigned.insert(range) }

    /// Has a connection that was asked for more than it was left with go on, where nobody else is to fetch
    /// what follows.
    ///
    /// - Returns: Whether it can go on.
    mutating func extend(_ identifier: Int) -> Bool {
        guard let part = parts[identifier], part.limit < part.end,
            let gap = unassigned.ranges.first(where: { $0.lowerBound == part.limit })
        else { return false }
        let limit = min(gap.upperBound, part.end)
        unassigned.remove(part.limit..<limit)
        parts[identifier]?.limit = limit
        return true
    }

    /// The connection for what follows a part, if it was asked for and has not answered yet.
    func unansweredSuccessor(of identifier: Int) -> Int? {
        guard let part = parts[identifier], part.limit < part.end else { return nil }
        return parts.first { $0.value.position == part.limit && !$0.value.isReceiving }?.key
    }

    /// Takes what another connection is to fetch: a part that nobody fetches, or else the end of the longest
    /// part that somebody does.
    ///
    /// - Parameters:
    ///   - policy: How parts are made.
    ///   - connections: How many connections there are to be.
    ///   - rate: How many bytes come in a second, where that is known.
    /// - Returns: The bytes; `nil` when there is nothing that is worth a connection.
    mutating func take(
        _ policy: Download.SegmentPolicy,
        connections: Int,
        rate: Double?
    ) -> Range<Int64>? {
        let share = rate.map { $0 / Double(max(1, parts.count)) }
        let least = leastSize(policy, share: share)
        let size = max(least, desiredSize(policy, connections: connections, share: share))
        if let gap = unassigned.ranges.first {
            let rest = gap.byteCount - size
            let end = rest < least ? gap.upperBound : gap.lowerBound + size
            unassigned.remove(gap.lowerBound..<end)
            return gap.lowerBound..<end
        }
        // Of one that was not answered yet nobody knows whether it brings anything.
        let answered = parts.filter { $0.value.isReceiving }
        guard let (identifier, longest) = answered.max(by: { $0.value.missing < $1.value.missing }),
            longest.missing >= 2 * least,
            isWorthwhile(longest.missing, policy, share: share)
        else { return nil }
        let start = longest.limit - min(size, longest.missing / 2)
        parts[identifier]?.limit = start
        return start..<longest.limit
    }

    /// Large at first, smaller and smaller towards the end, and never so large that all wait for it.
    private func desiredSize(
        _ policy: Download.SegmentPolicy,
        connections: Int,
        share: Double?
    ) -> Int64 {
        var size = missing / Int64(2 * max(1, connections))
        if let share, share.isFinite {
            // A rate that is next to nothing would make parts that are.
            size = min(size, bytes(share, in: policy.maximumSegmentTime))
        }
        return size
    }

    /// What is worth a request.
    private func leastSize(_ policy: Download.SegmentPolicy, share: Double?) -> Int64 {
        guard let share, share.isFinite else { return policy.minimumSegmentBytes }
        return max(policy.minimumSegmentBytes, bytes(share, in: policy.minimumSegmentTime))
    }

    private func bytes(_ rate: Double, in time: Duration) -> Int64 {
        Int64(min(1e15, rate * (time / .seconds(1))))
    }

    /// Whether a connection is busy with its part for long: else what is in flight on it is already the rest.
    private func isWorthwhile(
        _ missing: Int64,
        _ policy: Download.SegmentPolicy,
        share: Double?
    ) -> Bool {
        guard let share, share.isFinite else { return true }
        return missing >= bytes(share, in: policy.minimumSplitTime)
    }
}
