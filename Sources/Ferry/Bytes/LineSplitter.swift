/// Makes lines of bytes.
struct LineSplitter {
    /// The line so far, with what may become a line break at its end.
    private var line: [UInt8] = []

    /// Takes a byte.
    ///
    /// - Returns: The line that it ends, unless that is empty.
    ///
    /// The second half of CR LF ends an empty line, so that it need not be known as such.
    mutating func take(_ byte: UInt8) -> String? {
        line.append(byte)
        return switch byte {
        case 0x0a...0x0d: end(1)
        case 0x85 where line.dropLast().last == 0xc2: end(2)
        case 0xa8 where line.dropLast().suffix(2) == [0xe2, 0x80]: end(3)
        case 0xa9 where line.dropLast().suffix(2) == [0xe2, 0x80]: end(3)
        default: nil
        }
    }

    /// Takes the end of the bytes.
    ///
    /// - Returns: The line that it ends, unless that is empty.
    mutating func finish() -> String? { end(0) }

    private mutating func end(_ breakByteCount: Int) -> String? {
        defer { line.removeAll(keepingCapacity: true) }
        let content = line.dropLast(breakByteCount)
        return content.isEmpty ? nil : String(decoding: content, as: UTF8.self)
    }
}
