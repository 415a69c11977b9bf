/// A coding of bodies that ``FixtureAnswer/coded(_:by:)`` puts around bytes that stay as they are.
package enum FixtureCoding: String, Sendable, CaseIterable {
    /// RFC 1952.
    case gzip
    /// RFC 1950 around RFC 1951.
    case deflate
    /// RFC 7932.
    case br
    /// RFC 8878.
    case zstd

    /// The bytes in this coding.
    package func encode(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .gzip: FixtureGzip.encode(bytes)
        case .deflate: Self.deflated(bytes)
        case .br: Self.brotli(bytes)
        case .zstd: Self.zstd(bytes)
        }
    }

    /// A header, gzip's blocks without its own header and end, and Adler's checksum (RFC 1950 §2.2).
    private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        let sum = withUnsafeBytes(of: (high << 16 | low).bigEndian) { Array($0) }
        return [0x78, 0x01] + FixtureGzip.encode(bytes).dropFirst(10).dropLast(8) + sum
    }

    /// Blocks of at most 64 KiB that hold what they stand for (RFC 7932 §9.2), and an empty last one.
    private static func brotli(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let block = rest.prefix(0x10000)
            rest = rest.dropFirst(block.count)
            // Before the first one a bit for the window; then: not the last one, four nibbles of
            // length, the length less one, as it is.
            let isFirst = result.isEmpty
            let header = UInt32(block.count - 1) << 3 | 1 << 19
            let bits = isFirst ? header << 1 : header
            result += [UInt8(bits & 0xFF), UInt8(bits >> 8 & 0xFF), UInt8(bits >> 16)]
            result += block
        }
        // The last one, which is empty; alone, it comes behind the bit for the window.
        return result + [bytes.isEmpty ? 6 : 3]
    }

    /// A frame without a size in it, of blocks that hold what they stand for (RFC 8878 §3.1.1).
    private static func zstd(_ bytes: [UInt8]) -> [UInt8] {
        // A window of 128 KiB: 2 to the power of 10 + 7.
        var result: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, 7 << 3]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0x10000)
            rest = rest.dropFirst(block.count)
            let header = UInt32(block.count) << 3 | (rest.isEmpty ? 1 : 0)
            result += [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16)]
            result += block
        } while !rest.isEmpty
        return result
    }
}

/// Gzip's format around bytes that are stored as they are (RFC 1952, RFC 1951 §3.2.4).
package enum FixtureGzip {
    /// The bytes in gzip's format.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            result.append(rest.isEmpty ? 1 : 0)
            append(UInt16(block.count), to: &result)
            append(~UInt16(block.count), to: &result)
            result += block
        } while !rest.isEmpty
        append(checksum(bytes), to: &result)
        append(UInt32(truncatingIfNeeded: bytes.count), to: &result)
        return result
    }

    /// How a stream of zeros begins; ``zeros`` any number of times go on with it.
    ///
    /// The header, the beginning of a block with fixed codes (RFC 1951 §3.2.6), a zero that stands
    /// as it is, and a match that ends where a byte does.
    package static let beginningOfZeros: [UInt8] =
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255] + packed("010" + "00110000" + match)

    /// 2064 zeros in 13 bytes: a match takes 13 bits, so that eight end where a byte does.
    package static let zeros = packed(String(repeating: match, count: 8))

    /// 258 bytes like the one before: the codes of that length and of the distance 1.
    private static let match = "11000101" + "00000"

    /// Packs bits, the first one into the least significant place.
    private static func packed(_ bits: String) -> [UInt8] {
        let bits = Array(bits)
        return stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(0) { $0 | (bits[start + $1] == "1" ? 1 << $1 : 0) }
        }
    }

    private static func append(_ number: some FixedWidthInteger, to result: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { result.append(contentsOf: $0) }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum = (sum >> 8) ^ remainders[Int(UInt8(truncatingIfNeeded: sum) ^ byte)]
        }
        return ~sum
    }

    /// What each byte adds to the checksum (RFC 1952 §8): a megabyte bit by bit takes seconds.
    private static let remainders: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(byte) { sum, _ in (sum >> 1) ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
}
