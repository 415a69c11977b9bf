extension PartialFile {
    /// What a file that is not filled in order says about which of its bytes are there.
    ///
    /// It lies behind the place of the last byte, in a page of its own, and goes wherever the file goes. It
    /// is written after the bytes that it speaks of, and a page is written whole whenever its writer dies:
    /// so in the run of the kernel that wrote it, it is always true. A file that is longer than the resource
    /// has no proof for a reader that does not know of such tables.
    struct SegmentTable: Hashable, Sendable {
        /// The filling of the file that the table speaks of.
        var generation: UInt64
        /// The length of the whole resource.
        var totalByteCount: Int64
        /// The bytes that are there.
        var written: ByteRanges

        /// One page.
        static let byteCount = 4096
        private static let magic = Array("FerrySeg".utf8)
        private static let headerByteCount = magic.count + 2 * 8 + 2 * 4

        /// The longest resource behind which there is a place for a table; no disk is as large.
        static let maximumTotalByteCount = Int64.max - 2 * Int64(byteCount)

        /// Where the table of a resource of such a length lies.
        ///
        /// A server may claim any length; what is behind the longest of all is where nothing can be.
        static func offset(behind totalByteCount: Int64) -> Int64 {
            let page = Int64(byteCount)
            return (min(totalByteCount, maximumTotalByteCount) + page - 1) / page * page
        }

        /// How long a file is that has a table.
        static func end(behind totalByteCount: Int64) -> Int64 {
            offset(behind: totalByteCount) + Int64(byteCount)
        }

        /// How many ranges fit: many times more than there are connections that could leave them.
        static let maximumRangeCount = (byteCount - headerByteCount) / 16

        /// The table as it is stored.
        ///
        /// Ranges for which there is no room are left out: their bytes are fetched again.
        var encoded: [UInt8] {
            let ranges = written.ranges.prefix(Self.maximumRangeCount)
            var content = generation.littleEndianBytes
            content += UInt64(bitPattern: totalByteCount).littleEndianBytes
            content += UInt32(ranges.count).littleEndianBytes
            for range in ranges {
                content += UInt64(bitPattern: range.lowerBound).littleEndianBytes
                content += UInt64(bitPattern: range.upperBound).littleEndianBytes
            }
            let checksum = CRC32.checksum(of: content).littleEndianBytes
            return Self.magic + checksum + content
        }

        init(generation: UInt64, totalByteCount: Int64, written: ByteRanges) {
            self.generation = generation
            self.totalByteCount = totalByteCount
            self.written = written
        }

        /// Reads what ``encoded`` is; `nil` for anything else.
        init?(decoding bytes: [UInt8]) {
            guard bytes.count >= Self.headerByteCount, bytes.starts(with: Self.magic) else {
                return nil
            }
            var rest = bytes.dropFirst(Self.magic.count)
            let checksum = UInt32(takingFrom: &rest)
            let content = rest
            generation = UInt64(takingFrom: &rest)
            totalByteCount = Int64(bitPattern: UInt64(takingFrom: &rest))
            let count = Int(UInt32(takingFrom: &rest))
            guard totalByteCount > 0, count <= Self.maximumRangeCount, rest.count >= count * 16,
                CRC32.checksum(of: content.prefix(20 + count * 16)) == checksum
            else { return nil }
            written = ByteRanges()
            for _ in 0..<count {
                let lower = Int64(bitPattern: UInt64(takingFrom: &rest))
                let upper = Int64(bitPattern: UInt64(takingFrom: &rest))
                guard lower >= 0, lower < upper, upper <= totalByteCount else { return nil }
                written.insert(lower..<upper)
            }
        }
    }
}

extension FixedWidthInteger {
    fileprivate var littleEndianBytes: [UInt8] {
        withUnsafeBytes(of: littleEndian) { Array($0) }
    }

    fileprivate init(takingFrom bytes: inout ArraySlice<UInt8>) {
        let count = Self.bitWidth / 8
        self = bytes.prefix(count).reversed().reduce(0) { $0 << 8 | Self($1) }
        bytes = bytes.dropFirst(count)
    }
}
