/// A set of bytes: ranges in ascending order that neither overlap nor touch.
package struct ByteRanges: Hashable, Sendable {
    /// The ranges, none of them empty.
    package private(set) var ranges: [Range<Int64>]

    /// Makes a set of ranges in any order; those that overlap or touch become one.
    package init(_ ranges: [Range<Int64>] = []) {
        self.ranges = []
        for range in ranges { insert(range) }
    }

    /// Whether there are no bytes.
    package var isEmpty: Bool { ranges.isEmpty }

    /// How many bytes there are.
    package var byteCount: Int64 { ranges.reduce(0) { $0 + $1.byteCount } }

    /// The number of bytes from the first one on without a gap.
    package var prefixByteCount: Int64 {
        guard let first = ranges.first, first.lowerBound == 0 else { return 0 }
        return first.upperBound
    }

    /// Where the last byte ends.
    package var upperBound: Int64 { ranges.last?.upperBound ?? 0 }

    /// Returns whether the set contains all bytes of a range.
    package func contains(_ range: Range<Int64>) -> Bool {
        range.isEmpty
            || ranges.contains {
                $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound
            }
    }

    /// Returns whether the set contains all bytes of another set.
    package func contains(_ other: ByteRanges) -> Bool { other.ranges.allSatisfy { contains($0) } }

    /// Returns the bytes that are missing among the first `byteCount` bytes.
    package func gaps(upTo byteCount: Int64) -> ByteRanges {
        var gaps = ByteRanges()
        var position: Int64 = 0
        for range in ranges where range.lowerBound < byteCount {
            gaps.insert(position..<max(position, range.lowerBound))
            position = range.upperBound
        }
        gaps.insert(position..<max(position, byteCount))
        return gaps
    }

    /// Adds bytes, some of which may be present.
    package mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        // A body that arrives in order extends its last range.
        let first = ranges.firstIndex { $0.upperBound >= range.lowerBound } ?? ranges.count
        var end = first
        var merged = range
        while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
            merged =
                min(
                    merged.lowerBound,
                    ranges[end].lowerBound
                )..<max(merged.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(first..<end, with: [merged])
    }

    /// Removes bytes, some of which may be missing.
    package mutating func remove(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        ranges = ranges.flatMap { present in
            [
                present.clamped(to: .min..<range.lowerBound),
                present.clamped(to: range.upperBound..<Int64.max),
            ].filter { !$0.isEmpty }
        }
    }
}

extension ByteRanges: Codable {
    /// Reads what ``encode(to:)`` wrote, and refuses anything else.
    package init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        ranges = []
        while !container.isAtEnd {
            let lower = try container.decode(Int64.self)
            let upper = try container.decode(Int64.self)
            guard lower < upper, lower >= 0, ranges.last.map({ $0.upperBound < lower }) ?? true
            else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "ranges that are not in order"
                )
            }
            ranges.append(lower..<upper)
        }
    }

    /// Writes the bounds one after the other.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for range in ranges {
            try container.encode(range.lowerBound)
            try container.encode(range.upperBound)
        }
    }
}

extension Range where Bound == Int64 {
    /// How many bytes the range has.
    var byteCount: Int64 { upperBound - lowerBound }
}
