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
        ~bytes.reduce(~UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in
                (sum >> 1) ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0)
            }
        }
    }
}
