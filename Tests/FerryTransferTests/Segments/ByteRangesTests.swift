import FoundationEssentials
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct ByteRangesTests {
    @Test func `ranges that touch or overlap become one, in whatever order they come`() {
        #expect(ByteRanges([20..<30, 0..<10, 5..<20]).ranges == [0..<30])
        #expect(ByteRanges([20..<30, 0..<10]).ranges == [0..<10, 20..<30])
        #expect(ByteRanges([0..<10, 10..<20]).ranges == [0..<20])
        #expect(ByteRanges([5..<6, 0..<20]).ranges == [0..<20])
        #expect(ByteRanges([3..<3]).isEmpty)
    }

    @Test func `what is missing is told up to the end of the whole`() {
        let ranges = ByteRanges([10..<20, 30..<40])
        #expect(ranges.gaps(upTo: 50).ranges == [0..<10, 20..<30, 40..<50])
        #expect(ranges.gaps(upTo: 40).ranges == [0..<10, 20..<30])
        #expect(ranges.gaps(upTo: 15).ranges == [0..<10])
        #expect(ByteRanges().gaps(upTo: 5).ranges == [0..<5])
        #expect(ByteRanges([0..<5]).gaps(upTo: 5).isEmpty)
    }

    @Test func `bytes are taken out of the midst, of an end, or wholly`() {
        var ranges = ByteRanges([0..<30])
        ranges.remove(10..<20)
        #expect(ranges.ranges == [0..<10, 20..<30])
        ranges.remove(5..<25)
        #expect(ranges.ranges == [0..<5, 25..<30])
        ranges.remove(0..<40)
        #expect(ranges.isEmpty)
    }

    @Test func `the first bytes without a gap are counted by themselves`() {
        #expect(ByteRanges([0..<10, 20..<30]).prefixByteCount == 10)
        #expect(ByteRanges([5..<10]).prefixByteCount == 0)
        #expect(ByteRanges([0..<10, 20..<30]).byteCount == 20)
    }

    @Test func `a range is contained where no byte of it is missing`() {
        let ranges = ByteRanges([0..<10, 20..<30])
        #expect(ranges.contains(2..<10))
        #expect(!ranges.contains(5..<25))
        #expect(ranges.contains(15..<15))
        #expect(ranges.contains(ByteRanges([0..<1, 29..<30])))
        #expect(!ranges.contains(ByteRanges([0..<1, 30..<31])))
    }

    @Test func `they come back from JSON`() throws {
        let ranges = ByteRanges([0..<10, 20..<Int64.max])
        let json = try JSONEncoder().encode(ranges)
        #expect(try JSONDecoder().decode(ByteRanges.self, from: json) == ranges)
    }

    @Test(arguments: ["[0]", "[5,5]", "[-1,5]", "[0,5,5,9]", "[9,10,0,1]", "{}"])
    func `what cannot be ranges is refused`(json: String) {
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode(ByteRanges.self, from: Data(json.utf8))
        }
    }
}
