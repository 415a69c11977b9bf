@testable import FerrySystem
@testable import FerryTransfer

extension FuzzTarget {
    /// The table behind a file that is not filled in order speaks of bytes that can be there, or is none.
    static let segmentTable = FuzzTarget("segment-table", upTo: 512) { input throws(Finding) in
        typealias Table = PartialFile.SegmentTable
        guard let table = Table(decoding: sealed(input.rest)) else { return }
        try expectSame(Table(decoding: table.encoded), table, "what is written and read")
        let total = table.totalByteCount
        try expect(table.written.upperBound <= total, "\(table.written) of \(total) bytes")
        try expect(table.written.byteCount <= total, "\(table.written) of \(total) bytes")
        let gaps = table.written.gaps(upTo: total)
        try expectSame(gaps.byteCount + table.written.byteCount, total, "gaps and bytes")
        let place = Table.offset(behind: total)
        try expect(place % Int64(Table.byteCount) == 0, "the table lies at \(place)")
        if total <= Table.maximumTotalByteCount {
            try expect(place >= total, "the table lies at \(place), within \(total) bytes")
        }
        try checkTrust(table)
    }

    private static func sealed(_ content: [UInt8]) -> [UInt8] {
        let checksum = CRC32.checksum(of: content)
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: checksum >> ($0 * 8)) }
        return Array("FerrySeg".utf8) + bytes + content
    }

    /// Without a proof that bytes are of the same version, none are trusted, whatever the table says.
    private static func checkTrust(_ table: PartialFile.SegmentTable) throws(Finding) {
        let boot = BootIdentifier(rawValue: "boot")
        let validators: [Validator?] = [nil, .strongETag("\"x\"")]
        for validator in validators {
            let record = PartialFile.Record(
                generation: table.generation,
                version: ResourceVersion(
                    validator: validator,
                    totalByteCount: table.totalByteCount,
                    url: "https://example.com/"
                ),
                bootIdentifier: boot
            )
            // A file that has a table is longer than the resource.
            for size in [PartialFile.SegmentTable.end(behind: table.totalByteCount), .max] {
                let trusted = record.trustedBytes(
                    currentBoot: boot,
                    fileSize: size,
                    table: table,
                    checkpoint: nil
                )
                try expect(
                    trusted.upperBound <= table.totalByteCount,
                    "\(trusted) of \(size) bytes are trusted"
                )
                try expect(validator != nil || trusted.isEmpty, "\(trusted) without a proof")
                try expect(table.written.contains(trusted), "\(trusted) of \(table.written)")
            }
        }
    }
}
