/// Divides the missing bytes of a body among the connections that fetch it.
///
/// Exactly the bytes of a part are requested, so that none arrive twice. Only a connection that was asked for
/// more, such as the first one, which began alone, is interrupted when it reaches the part of another.
struct Segments: Hashable, Sendable {
    /// The part that one connection fetches.
    struct Part: Hashable, Sendable {
        /// The first byte that it was asked for.
        let start: Int64
        /// Where its next byte goes.
        var position: Int64
        /// Where the connection is to stop.
        var limit: Int64
        /// Where the response ends.
        var end: Int64
        /// The source that sends the part.
        var source = 0
        /// Whether the owner has lent a connection for it, beside the one that every download has.
        var isExtra = false
        /// Whether the response has begun.
        var isReceiving = false
        /// When the last bytes arrived, or the part was requested; `nil` while stalls do not matter.
        var touched: ContinuousClock.Instant?

        /// The missing bytes.
        var rest: Range<Int64> { position..<max(position, limit) }
        /// The number of missing bytes.
        var missing: Int64 { rest.byteCount }
        /// Whether all of the part has come, and its response goes on.
        ///
        /// A connection can only be reused at the end of its response.
        var isCompleteEarly: Bool { missing == 0 && position < end }

        /// Makes the part of the first connection.
        static func begun(at position: Int64, limit: Int64, end: Int64) -> Part {
            Part(start: position, position: position, limit: limit, end: end, isReceiving: true)
        }
    }

    /// The length of the whole.
    let totalByteCount: Int64
    /// The bytes that no connection fetches yet.
    private(set) var unassigned: ByteRanges
    /// The parts that are being fetched, by the connections' numbers.
    private(set) var parts: [Int: Part] = [:]

    init(totalByteCount: Int64, unassigned: ByteRanges) {
        self.totalByteCount = totalByteCount
        self.unassigned = unassigned
    }

    /// Makes the one part of a first connection that receives everything from a byte on.
    init(continuingAt byteCount: Int64, of total: Int64) {
        self.init(totalByteCount: total, unassigned: ByteRanges())
        parts[Download.StateMachine.firstConnection] = .begun(
            at: byteCount,
            limit: total,
            end: total
        )
    }

    /// Makes the part of a first connection that fills a gap; others may fetch the other gaps.
    init(filling gap: Range<Int64>, beside written: ByteRanges, of total: Int64) {
        var unassigned = written.gaps(upTo: total)
        unassigned.remove(gap)
        self.init(totalByteCount: total, unassigned: unassigned)
        parts[Download.StateMachine.firstConnection] = .begun(
            at: gap.lowerBound,
            limit: gap.upperBound,
            end: gap.upperBound
        )
    }

    /// The number of missing bytes.
    var missing: Int64 { unassigned.byteCount + parts.values.reduce(0) { $0 + $1.missing } }

    /// The bytes that were received.
    var written: ByteRanges {
        var missing = unassigned
        for part in parts.values { missing.insert(part.rest) }
        return missing.gaps(upTo: totalByteCount)
    }

    /// Returns the connections that have received nothing since a time.
    func stalled(since time: ContinuousClock.Instant) -> [Int] {
        parts.filter { $0.value.touched.map { $0 <= time } ?? false }.keys.sorted()
    }

    /// The number of connections that receive bytes.
    var receivingCount: Int { parts.values.count { $0.isReceiving } }

    /// The number of connections to each source.
    var loads: [Int: Int] { parts.values.reduce(into: [:]) { $0[$1.source, default: 0] += 1 } }

    /// When the connection that has received nothing for the longest time received its last bytes.
    var firstTouched: ContinuousClock.Instant? { parts.values.compactMap(\.touched).min() }

    /// Returns the lent connection to one of the sources with the most missing bytes.
    func longestExtra(of sources: Set<Int>) -> Int? {
        let extras = parts.filter { $0.value.isExtra && sources.contains($0.value.source) }
        return extras.max { first, second in
            (first.value.missing, first.key) < (second.value.missing, second.key)
        }?.key
    }

    /// Whether the connection that every download has is free.
    var isOwnConnectionFree: Bool { parts.values.allSatisfy(\.isExtra) }

    subscript(part: Int) -> Part? {
        get { parts[part] }
        set { parts[part] = newValue }
    }

    /// Ends a part; its missing bytes become unassigned.
    mutating func end(_ identifier: Int) -> Part? {
        guard let part = parts.removeValue(forKey: identifier) else { return nil }
        unassigned.insert(part.rest)
        return part
    }

    /// Makes bytes unassigned that were to be fetched.
    mutating func giveBack(_ range: Range<Int64>) { unassigned.insert(range) }

    /// Handles the response to the request for a part, which may be less; the rest is requested again.
    mutating func begin(_ identifier: Int, upTo end: Int64, at now: ContinuousClock.Instant) {
        guard var part = parts[identifier] else { return }
        if end < part.limit { giveBack(end..<part.limit) }
        part.end = end
        part.limit = min(part.limit, end)
        part.isReceiving = true
        part.touched = now
        parts[identifier] = part
    }

    /// Records written bytes of a part; returns the part.
    mutating func wrote(
        _ count: Int,
        of identifier: Int,
        at now: ContinuousClock.Instant
    ) -> Part? {
        guard var part = parts[identifier] else { return nil }
        part.position += Int64(count)
        part.touched = now
        parts[identifier] = part
        return part
    }

    /// Extends the part of a connection that was asked for more, if no other connection is to fetch what
    /// follows.
    ///
    /// - Returns: Whether the connection can continue.
    mutating func extend(_ identifier: Int) -> Bool {
        guard let part = parts[identifier], part.limit < part.end,
            let gap = unassigned.ranges.first(where: { $0.lowerBound == part.limit })
        else { return false }
        let limit = min(gap.upperBound, part.end)
        unassigned.remove(part.limit..<limit)
        parts[identifier]?.limit = limit
        return true
    }

    /// Returns the connection for what follows a part, if it was requested and has not responded yet.
    func unansweredSuccessor(of identifier: Int) -> Int? {
        guard let part = parts[identifier], part.limit < part.end else { return nil }
        return parts.first { $0.value.position == part.limit && !$0.value.isReceiving }?.key
    }

    /// Takes the bytes for another connection: unassigned ones, or else the end of the longest part.
    ///
    /// - Parameters:
    ///   - policy: How parts are made.
    ///   - connections: The number of connections to use.
    ///   - rate: The rate in bytes per second, if known.
    /// - Returns: The bytes; `nil` when none are worth a connection.
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
        // A part without a response may never receive anything.
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
            // No more than a connection brings in that time; ``leastSize(_:share:)`` is the lower bound.
            size = min(size, bytes(share, in: policy.maximumSegmentTime))
        }
        return size
    }

    /// The smallest size that is worth a request.
    private func leastSize(_ policy: Download.SegmentPolicy, share: Double?) -> Int64 {
        guard let share, share.isFinite else { return policy.minimumSegmentBytes }
        return max(policy.minimumSegmentBytes, bytes(share, in: policy.minimumSegmentTime))
    }

    private func bytes(_ rate: Double, in time: Duration) -> Int64 {
        Int64(min(1e15, rate * (time / .seconds(1))))
    }

    /// Whether a part still takes long: otherwise the rest of it is already in flight.
    private func isWorthwhile(
        _ missing: Int64,
        _ policy: Download.SegmentPolicy,
        share: Double?
    ) -> Bool {
        guard let share, share.isFinite else { return true }
        return missing >= bytes(share, in: policy.minimumSplitTime)
    }
}
