import FoundationEssentials
@preconcurrency import Glibc

/// Reads JSON text without a decoder between, as long as there is nothing unusual about it.
///
/// What is rare, such as an escaped character, a member nobody knows, or a mistake, is left to the
/// decoder of ``MessageCoding``: it reads all, says what is wrong, and takes ten times as long.
struct JSONInput {
    /// The text is not for this reader.
    struct Unusual: Error {}

    /// The bytes of a string without escapes, such as a member's name.
    struct Name {
        fileprivate let bytes: UnsafeRawBufferPointer

        /// Whether it is that text.
        func matches(_ text: StaticString) -> Bool {
            guard bytes.count == text.utf8CodeUnitCount, let base = bytes.baseAddress else {
                return false
            }
            return memcmp(base, text.utf8Start, bytes.count) == 0
        }

        /// Whether it is that text.
        func matches(_ text: [UInt8]) -> Bool { bytes.elementsEqual(text) }
    }

    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    /// Reads a text that is one value.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - body: Reads the value; what it is given is good until it returns.
    /// - Returns: The value; `nil` when the decoder must read it.
    static func read<Value>(
        _ text: Data,
        _ body: (inout JSONInput) throws(Unusual) -> Value
    ) -> Value? {
        text.withUnsafeBytes { buffer -> Value? in
            var input = JSONInput(bytes: buffer)
            input.skipSpace()
            guard let value = try? body(&input) else { return nil }
            input.skipSpace()
            return input.index == buffer.count ? value : nil
        }
    }

    private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Reads an object; `member` reads the value of each member.
    mutating func object(
        _ member: (inout JSONInput, Name) throws(Unusual) -> Void
    ) throws(Unusual) {
        try expect(UInt8(ascii: "{"))
        if take(UInt8(ascii: "}")) { return }
        repeat {
            skipSpace()
            let name = try name()
            try expect(UInt8(ascii: ":"))
            skipSpace()
            try member(&self, name)
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
    }

    /// Reads an array; `element` reads each element.
    mutating func array<Element>(
        _ element: (inout JSONInput) throws(Unusual) -> Element
    ) throws(Unusual) -> [Element] {
        try expect(UInt8(ascii: "["))
        var elements: [Element] = []
        if take(UInt8(ascii: "]")) { return elements }
        repeat {
            skipSpace()
            elements.append(try element(&self))
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
        return elements
    }

    /// Reads a string's bytes.
    mutating func name() throws(Unusual) -> Name {
        guard next() == UInt8(ascii: "\"") else { throw Unusual() }
        index += 1
        let start = index
        while let byte = next(), byte != UInt8(ascii: "\"") {
            guard byte >= 0x20, byte != UInt8(ascii: "\\") else { throw Unusual() }
            index += 1
        }
        guard index < bytes.count else { throw Unusual() }
        defer { index += 1 }
        return Name(bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<index]))
    }

    /// Reads a string.
    mutating func string() throws(Unusual) -> String {
        let start = index
        guard let name = try? name() else {
            index = start
            return try escapedString()
        }
        guard let text = String(validating: name.bytes, as: UTF8.self) else { throw Unusual() }
        return text
    }

    /// Reads a string with the escapes that entity tags and paths have.
    private mutating func escapedString() throws(Unusual) -> String {
        try expect(UInt8(ascii: "\""))
        var text: [UInt8] = []
        while let byte = next(), byte != UInt8(ascii: "\"") {
            index += 1
            guard byte == UInt8(ascii: "\\") else {
                guard byte >= 0x20 else { throw Unusual() }
                text.append(byte)
                continue
            }
            guard let escaped = next(), #""\/"#.utf8.contains(escaped) else { throw Unusual() }
            text.append(escaped)
            index += 1
        }
        try expect(UInt8(ascii: "\""))
        guard let text = String(validating: text, as: UTF8.self) else { throw Unusual() }
        return text
    }

    /// Reads an integer.
    mutating func integer() throws(Unusual) -> Int {
        let start = index
        if next() == UInt8(ascii: "-") { index += 1 }
        let digits = index
        var value = 0
        while let byte = next(), isDigit(byte) {
            // With one more digit it might be too great for the type.
            guard index - digits < 18 else { throw Unusual() }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            index += 1
        }
        let count = index - digits
        guard count > 0, count == 1 || bytes[digits] != UInt8(ascii: "0") else { throw Unusual() }
        guard next().map({ !isPartOfNumber($0) }) ?? true else { throw Unusual() }
        return digits > start ? -value : value
    }

    /// Reads a number.
    mutating func number() throws(Unusual) -> Double {
        let start = index
        if let value = try? integer(), abs(value) < 1 << 53, value != 0 { return Double(value) }
        index = start
        if next() == UInt8(ascii: "-") { index += 1 }
        let digits = index
        guard skipDigits() > 0 else { throw Unusual() }
        guard index - digits == 1 || bytes[digits] != UInt8(ascii: "0") else { throw Unusual() }
        if next() == UInt8(ascii: ".") {
            index += 1
            guard skipDigits() > 0 else { throw Unusual() }
        }
        guard next().map({ !isPartOfNumber($0) }) ?? true else { throw Unusual() }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard let value = Double(text), value.isFinite else { throw Unusual() }
        return value
    }

    /// Reads a truth value.
    mutating func bool() throws(Unusual) -> Bool {
        for (text, value) in [("true" as StaticString, true), ("false", false)] {
            let end = index + text.utf8CodeUnitCount
            guard end <= bytes.count,
                Name(bytes: UnsafeRawBufferPointer(rebasing: bytes[index..<end])).matches(text)
            else { continue }
            index = end
            return value
        }
        throw Unusual()
    }

    // MARK: - Bytes

    private func next() -> UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = next(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            index += 1
        }
    }

    /// Takes a character, with space before it, if it is the next one.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next() == byte else { return false }
        index += 1
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(Unusual) {
        guard take(byte) else { throw Unusual() }
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while let byte = next(), isDigit(byte) { index += 1 }
        return index - start
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private func isPartOfNumber(_ byte: UInt8) -> Bool {
        isDigit(byte) || ".eE+-".utf8.contains(byte)
    }
}
