/// The bytes of one run.
///
/// Numbers that steer a harness are taken from the end, so that what is in front stays readable, and is
/// what libFuzzer changes most.
struct FuzzInput {
    private var bytes: ArraySlice<UInt8>

    /// Makes an input of its bytes.
    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    /// Takes the last byte; 0 where there is none.
    mutating func takeNumber() -> UInt8 { bytes.popLast() ?? 0 }

    /// Takes the last eight bytes as a number in the order of this machine.
    mutating func takeInteger() -> Int64 {
        var number: UInt64 = 0
        for _ in 0..<8 { number = number << 8 | UInt64(takeNumber()) }
        return Int64(bitPattern: number)
    }

    /// What is left.
    var rest: [UInt8] { Array(bytes) }

    /// What is left, as text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// What is left, as the lines of each of its parts that an empty line separates.
    var paragraphs: [[String]] {
        text.split(separator: "\n\n").map { part in
            part.split(separator: "\n").map { String($0) }
        }
    }

    /// What is left, as the lines that it consists of.
    var lines: [String] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
