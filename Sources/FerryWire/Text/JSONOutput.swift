/// JSON text that is being written.
///
/// It is not an array of bytes, which would be checked for other owners and for room at each of them.
package struct JSONOutput: ~Copyable {
    /// Whether all could be written: JSON has no number for an infinity.
    private(set) var isValid = true
    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 16)
    private var count = 0
    private var needsComma = false

    deinit { buffer.deallocate() }

    /// The text.
    var bytes: [UInt8] { Array(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }

    /// Writes an object; `members` writes its members.
    package mutating func object(_ members: (inout JSONOutput) -> Void) {
        beginValue()
        append(UInt8(ascii: "{"))
        needsComma = false
        members(&self)
        append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Writes an array; `elements` writes its elements.
    mutating func array(_ elements: (inout JSONOutput) -> Void) {
        beginValue()
        append(UInt8(ascii: "["))
        needsComma = false
        elements(&self)
        append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Writes the members of an object that is a text already.
    mutating func members(of object: [UInt8]) {
        guard object.count > 2 else { return }
        beginValue()
        object.withUnsafeBytes { append(UnsafeRawBufferPointer(rebasing: $0[1..<$0.count - 1])) }
        needsComma = true
    }

    /// Writes a member; one that is nil is left out.
    ///
    /// The name must not need escaping.
    package mutating func member(_ name: StaticString, _ value: (some JSONCodable)?) {
        guard let value else { return }
        self.name(name)
        value.write(to: &self)
    }

    /// Writes the name of the member whose value follows, escaped where necessary.
    mutating func name(escaping name: String) {
        string(name)
        append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes the name of the member whose value follows; it must not need escaping.
    mutating func name(_ name: StaticString) {
        reserve(name.utf8CodeUnitCount + 4)
        beginValue()
        add(UInt8(ascii: "\""))
        add(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        add(UInt8(ascii: "\""))
        add(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a value that is a text already.
    package mutating func text(_ value: [UInt8]) {
        if value.isEmpty { isValid = false }
        beginValue()
        value.withUnsafeBytes { append($0) }
        needsComma = true
    }

    /// Writes a string.
    mutating func string(_ value: String) {
        beginValue()
        append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { text in
            let text = UnsafeRawBufferPointer(text)
            guard Self.hasEscaped(text) else { return append(text) }
            for byte in text { appendEscaped(byte) }
        }
        append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes an integer.
    mutating func integer(_ value: Int64) {
        beginValue()
        if value < 0 { append(UInt8(ascii: "-")) }
        // The longest has 19 digits; the last one is found first.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 19) { digits in
            var (rest, start) = (value.magnitude, digits.count)
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            append(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: digits[start...])))
        }
        needsComma = true
    }

    /// Writes a Boolean value.
    mutating func bool(_ value: Bool) { plain(value ? "true" : "false") }

    /// Writes a number.
    mutating func number(_ value: Double) {
        if !value.isFinite { isValid = false }
        let text = value.description
        plain(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }

    private mutating func plain(_ text: String) {
        beginValue()
        append(text)
        needsComma = true
    }

    private mutating func beginValue() {
        if needsComma { append(UInt8(ascii: ",")) }
        needsComma = false
    }

    /// Returns whether any byte is escaped.
    private static func hasEscaped(_ text: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while let bytes = EightBytes(of: text, at: index) {
            if bytes.plainCount < 8 { return true }
            index += 8
        }
        while index < text.count {
            if isEscaped(text[index]) { return true }
            index += 1
        }
        return false
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        guard Self.isEscaped(byte) else { return append(byte) }
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0..<0x20:
            let digits = String(byte, radix: 16)
            append("u00\(digits.utf8.count == 1 ? "0" : "")\(digits)")
        default: append(byte)
        }
    }

    /// Ends the text as that of a message, with a NUL.
    mutating func endMessage() { append(0) }

    // MARK: - Bytes

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        add(bytes)
    }

    @inline(__always)
    private mutating func append(_ byte: UInt8) {
        reserve(1)
        add(byte)
    }

    /// Adds bytes for which there is room.
    @inline(__always)
    private mutating func add(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    /// Adds a byte for which there is room.
    @inline(__always)
    private mutating func add(_ byte: UInt8) {
        buffer[count] = byte
        count += 1
    }

    @inline(__always)
    private mutating func reserve(_ byteCount: Int) {
        if count + byteCount > buffer.count { grow(by: byteCount) }
    }

    private mutating func grow(by byteCount: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(2 * buffer.count, count + byteCount),
            alignment: 16
        )
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        buffer.deallocate()
        buffer = larger
    }
}
