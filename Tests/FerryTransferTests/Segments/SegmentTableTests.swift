import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct SegmentTableTests {
    private let table = PartialFile.SegmentTable(
        generation: .max - 1,
        totalByteCount: 1 << 40,
        written: ByteRanges([0..<10, 20..<1 << 40])
    )

    @Test func `a table is read as it was written, with room behind it`() {
        #expect(PartialFile.SegmentTable(decoding: table.encoded) == table)
        let padded = table.encoded + [UInt8](repeating: 0, count: 100)
        #expect(PartialFile.SegmentTable(decoding: padded) == table)
    }

    @Test func `no damaged byte goes unnoticed, and no missing one`() {
        let bytes = table.encoded
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x10
            #expect(PartialFile.SegmentTable(decoding: damaged) == nil, "byte \(index)")
            #expect(PartialFile.SegmentTable(decoding: Array(bytes[..<index])) == nil)
        }
    }

    @Test func `a table that tells of bytes behind the last one is none`() {
        func decoded(through end: Int64) -> PartialFile.SegmentTable? {
            let table = PartialFile.SegmentTable(
                generation: 1,
                totalByteCount: 100,
                written: ByteRanges([0..<10, 20..<end])
            )
            return PartialFile.SegmentTable(decoding: table.encoded)
        }
        #expect(decoded(through: 100)?.written == ByteRanges([0..<10, 20..<100]))
        #expect(decoded(through: 101) == nil)
    }

    @Test func `it lies in a page of its own behind the last byte`() {
        #expect(PartialFile.SegmentTable.offset(behind: 1) == 4096)
        #expect(PartialFile.SegmentTable.offset(behind: 4096) == 4096)
        #expect(PartialFile.SegmentTable.offset(behind: 4097) == 8192)
        #expect(PartialFile.SegmentTable.end(behind: 4097) == 12288)
    }

    @Test func `ranges for which there is no room are not vouched for`() throws {
        let ranges = (0..<300 as Range<Int64>).map { $0 * 10..<$0 * 10 + 5 }
        let many = PartialFile.SegmentTable(
            generation: 1,
            totalByteCount: 3000,
            written: ByteRanges(ranges)
        )
        #expect(many.encoded.count <= PartialFile.SegmentTable.byteCount)
        let read = try #require(PartialFile.SegmentTable(decoding: many.encoded))
        #expect(read.written.ranges.count == PartialFile.SegmentTable.maximumRangeCount)
        #expect(many.written.contains(read.written))
    }
}
