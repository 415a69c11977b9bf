import Testing

/// A frame of the WebSocket protocol as it goes over the wire (RFC 6455 §5.2), also one that must not.
struct RawFrame {
    var isLast = true
    var opcode: UInt8
    var reserved: UInt8 = 0
    var mask: [UInt8] = []
    var body: [UInt8]

    init(
        isLast: Bool = true,
        opcode: UInt8,
        reserved: UInt8 = 0,
        mask: [UInt8] = [],
        _ body: [UInt8]
    ) {
        self.isLast = isLast
        self.opcode = opcode
        self.reserved = reserved
        self.mask = mask
        self.body = body
    }

    static func text(_ text: String) -> RawFrame { RawFrame(opcode: 1, Array(text.utf8)) }

    var isMasked: Bool { !mask.isEmpty }

    var bytes: [UInt8] {
        let count = body.count
        let length: [UInt8] =
            switch count {
            case ..<126: [UInt8(count)]
            case ..<65_536: [126] + Self.bigEndian(UInt64(count), count: 2)
            default: [127] + Self.bigEndian(UInt64(count), count: 8)
            }
        let first = (isLast ? 0x80 : 0) | reserved << 4 | opcode
        let second = (isMasked ? 0x80 : 0) | length[0]
        return [first, second] + length.dropFirst() + mask + masked
    }

    private var masked: [UInt8] {
        guard isMasked else { return body }
        return body.enumerated().map { $0.element ^ mask[$0.offset % 4] }
    }

    private static func bigEndian(_ number: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
    }

    /// Reads whole frames.
    static func parse(_ bytes: [UInt8]) throws -> [RawFrame] {
        var rest = bytes[...]
        var frames: [RawFrame] = []
        func number(_ count: Int) throws -> Int {
            try #require(rest.count >= count)
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        }
        while !rest.isEmpty {
            let first = UInt8(try number(1))
            let second = try number(1)
            let short = second & 0x7F
            let count = short == 126 ? try number(2) : short == 127 ? try number(8) : short
            let maskCount = second & 0x80 == 0 ? 0 : 4
            let mask = Array(rest.prefix(maskCount))
            rest = rest.dropFirst(maskCount)
            try #require(rest.count >= count)
            var frame = RawFrame(
                isLast: first & 0x80 != 0,
                opcode: first & 0x0F,
                reserved: first >> 4 & 7,
                mask: mask,
                Array(rest.prefix(count))
            )
            frame.body = frame.masked
            rest = rest.dropFirst(count)
            frames.append(frame)
        }
        return frames
    }
}
