/// Splits bytes into lines.
struct LineSplitter {
    /// The line so far, with what may become a line break at its end.
    private var line: [UInt8] = []

    /// Takes a byte.
    ///
    /// The LF of a CR LF ends an empty line, so it needs no special handling.
    ///
    /// - Returns: The line that it ends, unless that is empty.
    mutating func take(_ byte: UInt8) -> String? {
        line.append(byte)
        return endIfBroken(by: byte)
    }

    /// Takes buffered bytes, up to the end of a line.
    ///
    /// - Returns: The line; nil if there is no complete one.
    mutating func take(from buffer: BufferedBytes) -> String? {
        while true {
            let bytes = buffer.take(through: Self.mayEnd(with:))
            guard let last = bytes.last else { return nil }
            line.append(contentsOf: bytes)
            if let line = endIfBroken(by: last) { return line }
        }
    }

    /// Takes the end of the bytes.
    ///
    /// - Returns: The line that it ends, unless that is empty.
    mutating func finish() -> String? { end(0) }

    /// Whether a line break can end with a byte.
    private static func mayEnd(with byte: UInt8) -> Bool {
        switch byte {
        case 0x0a...0x0d, 0x85, 0xa8, 0xa9: true
        default: false
        }
    }

    private mutating func endIfBroken(by last: UInt8) -> String? {
        switch last {
        case 0x0a...0x0d: end(1)
        case 0x85 where line.dropLast().last == 0xc2: end(2)
        case 0xa8 where line.dropLast().suffix(2) == [0xe2, 0x80]: end(3)
        case 0xa9 where line.dropLast().suffix(2) == [0xe2, 0x80]: end(3)
        default: nil
        }
    }

    private mutating func end(_ breakByteCount: Int) -> String? {
        defer { line.removeAll(keepingCapacity: true) }
        let content = line.dropLast(breakByteCount)
        return content.isEmpty ? nil : String(decoding: content, as: UTF8.self)
    }
}
