extension PartialFile {
    /// The table of the written bytes in a file that is not filled in order.
    ///
    /// It is stored behind the last byte, in a separate page, and moves with the file. It is written after the
    /// bytes that it lists, and a page is written whole even if its writer dies: in the boot that wrote it, it
    /// is always true. A reader that does not know such tables finds no proof in a file that is longer than the
    /// resource.
    struct SegmentTable: Hashable, Sendable {
        /// The generation of the file's content that the table describes.
        var generation: UInt64
        /// The length of the whole resource.
        var totalByteCount: Int64
        /// The written bytes.
        var written: ByteRanges

        /// One page.
        static let byteCount = 4096
        private static let magic = Array("FerrySeg".utf8)
        private static let headerByteCount = magic.count + 2 * 8 + 2 * 4

        /// The length of the longest resource that leaves room for a table; no disk is as large.
        static let maximumTotalByteCount = Int64.max - 2 * Int64(byteCount)

        /// Returns the offset of the table for a resource of a given length.
        ///
        /// A server may claim any length; beyond the maximum, the offset is one where nothing can be.
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

        /// Reads a table that ``encoded`` has written; `nil` for anything else.
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
