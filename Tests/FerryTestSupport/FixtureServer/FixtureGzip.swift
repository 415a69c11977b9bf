/// Gzip's format around bytes that are stored as they are (RFC 1952, RFC 1951 §3.2.4).
enum FixtureGzip {
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
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
