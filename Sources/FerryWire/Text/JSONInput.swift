@preconcurrency import Glibc

/// JSON text that is read from beginning to end.
///
/// The text is read once, byte by byte. Unknown members are skipped, but must be valid JSON.
package struct JSONInput {
    /// A problem in a text, and its location.
    package struct Problem: Error, Hashable, CustomStringConvertible {
        /// The path of the member, such as `request.fields[1].name`; empty for the whole.
        private(set) var member = ""
        /// The reason.
        let reason: String

        /// Creates the problem of a value.
        package init(_ reason: String) { self.reason = reason }

        /// Returns the problem of a value as that of the member that contains it.
        func inside(_ name: String) -> Problem {
            var problem = self
            let isElement = member.isEmpty || member.hasPrefix("[")
            problem.member = isElement ? name + member : "\(name).\(member)"
            return problem
        }

        /// The member and the reason.
        package var description: String { member.isEmpty ? reason : "\(member): \(reason)" }
    }

    /// The name of a member, as it appears in the text.
    package struct Name {
        fileprivate let bytes: UnsafeRawBufferPointer
        fileprivate let hasEscapes: Bool
        /// Whether there are neither escapes nor characters outside of ASCII.
        fileprivate let isPlain: Bool

        /// The name.
        var text: String {
            get throws(Problem) {
                if isPlain { return String(decoding: bytes, as: UTF8.self) }
                let text =
                    hasEscapes
                    ? String(validating: try JSONInput.unescaped(bytes), as: UTF8.self)
                    : String(validating: bytes, as: UTF8.self)
                guard let text else { throw Problem("a string that is not UTF-8") }
                return text
            }
        }

        /// Whether a member has a name; no name of the interface has escapes.
        package static func ~= (name: StaticString, member: Name) -> Bool {
            guard member.bytes.count == name.utf8CodeUnitCount,
                let base = member.bytes.baseAddress
            else { return false }
            return memcmp(base, name.utf8Start, member.bytes.count) == 0
        }
    }

    /// The maximum nesting depth of arrays and objects that are skipped, more than any value has: to read a value of the
    /// interface takes no more calls of functions than its type is deep.
    private static let maximumDepth = 64

    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    /// Begins to read a text, which must stay in place until all of it is read.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        skipSpace()
    }

    /// An object without members: the parameters of a message that leaves them out.
    static var emptyObject: JSONInput {
        let text: StaticString = "{}"
        return JSONInput(
            UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        )
    }

    // MARK: - Values

    /// Reads a value; nil for `null`.
    package mutating func value<Value: JSONCodable>() throws(Problem) -> Value? {
        takeNull() ? nil : try Value(from: &self)
    }

    /// Returns the value of a required member.
    package func required<Value>(_ value: Value?, _ name: StaticString) throws(Problem) -> Value {
        guard let value else { throw Problem("it is missing").inside("\(name)") }
        return value
    }

    /// Reads an object; `member` reads the value of each member.
    package mutating func object(
        _ member: (inout JSONInput, Name) throws(Problem) -> Void
    ) throws(Problem) {
        try expect(UInt8(ascii: "{"), "an object")
        if take(UInt8(ascii: "}")) { return }
        repeat {
            skipSpace()
            let name = try name()
            // Even an unknown name must be valid text.
            if !name.isPlain { _ = try name.text }
            try expect(UInt8(ascii: ":"), "a colon")
            skipSpace()
            do throws(Problem) {
                try member(&self, name)
            } catch {
                throw error.inside(try name.text)
            }
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"), "the end of an object")
    }

    /// Reads an array; `element` reads each element.
    mutating func array<Element>(
        _ element: (inout JSONInput) throws(Problem) -> Element
    ) throws(Problem) -> [Element] {
        try expect(UInt8(ascii: "["), "an array")
        var elements: [Element] = []
        if take(UInt8(ascii: "]")) { return elements }
        repeat {
            skipSpace()
            do throws(Problem) {
                elements.append(try element(&self))
            } catch {
                throw error.inside("[\(elements.count)]")
            }
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"), "the end of an array")
        return elements
    }

    /// Reads a string.
    mutating func string() throws(Problem) -> String { try name().text }

    /// Reads a whole number.
    mutating func integer() throws(Problem) -> Int64 {
        let number = try numeral()
        // One that is too great must not be rounded to one that is not.
        let exact = number.isWhole ? number.integer : Int64(exactly: try Self.double(number))
        guard let value = exact else {
            throw Problem("\(number.text) is no integer of 64 bits")
        }
        return value
    }

    /// Reads a number.
    mutating func number() throws(Problem) -> Double { try Self.double(try numeral()) }

    /// Reads a Boolean value.
    mutating func bool() throws(Problem) -> Bool {
        if takeWord("true") { return true }
        if takeWord("false") { return false }
        throw unexpected("true or false")
    }

    /// Skips a value of any kind.
    package mutating func skip() throws(Problem) { try skip(depth: 0) }

    /// Reads a value of any kind as it appears in the text.
    package mutating func text() throws(Problem) -> [UInt8] {
        let start = index
        try skip()
        return Array(bytes[start..<index])
    }

    /// Reads the next value by `body`; skips it if that fails.
    ///
    /// - Returns: The value, or the problem with it.
    mutating func attempt<Value>(
        _ body: (inout JSONInput) throws(Problem) -> Value
    ) throws(Problem) -> Result<Value, Problem> {
        let start = index
        do throws(Problem) {
            return .success(try body(&self))
        } catch {
            index = start
            try skip()
            return .failure(error)
        }
    }

    /// Whether the next value is `null`.
    var isNull: Bool { next() == UInt8(ascii: "n") }

    /// Checks that the text ends.
    mutating func end() throws(Problem) {
        skipSpace()
        guard index == bytes.count else { throw unexpected("the end") }
    }

    private mutating func skip(depth: Int) throws(Problem) {
        guard depth < Self.maximumDepth else { throw Problem("it is nested too deep") }
        switch next() {
        case UInt8(ascii: "{"):
            try object { (input, _) throws(Problem) in try input.skip(depth: depth + 1) }
        case UInt8(ascii: "["):
            _ = try array { (input) throws(Problem) in try input.skip(depth: depth + 1) }
        case UInt8(ascii: "\""):
            let string = try name()
            if !string.isPlain { _ = try string.text }
        case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try bool()
        case UInt8(ascii: "n") where takeNull(): break
        default: _ = try skipNumeral()
        }
    }

    // MARK: - Strings

    /// Reads a string as it appears in the text.
    private mutating func name() throws(Problem) -> Name {
        guard next() == UInt8(ascii: "\"") else { throw unexpected("a string") }
        index += 1
        let start = index
        var hasEscapes = false
        var bits: UInt8 = 0
        while let bytes = EightBytes(of: bytes, at: index) {
            if !bytes.areASCII { bits = 0x80 }
            index += bytes.plainCount
            if bytes.plainCount < 8 { break }
        }
        while let byte = next(), byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw Problem("a control character in a string") }
            bits |= byte
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                index += 1
            }
            index += 1
        }
        guard index < bytes.count else { throw Problem("a string without an end") }
        defer { index += 1 }
        return Name(
            bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<index]),
            hasEscapes: hasEscapes,
            isPlain: !hasEscapes && bits < 0x80
        )
    }

    fileprivate static func unescaped(_ bytes: UnsafeRawBufferPointer) throws(Problem) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "u"): result += String(try scalar(&rest)).utf8
            case let byte? where #""\/"#.utf8.contains(byte): result.append(byte)
            default: throw Problem("an escape that JSON does not have")
            }
        }
        return result
    }

    /// Reads the scalar after `\u`, of one code unit or a pair of surrogates.
    private static func scalar(
        _ rest: inout Slice<UnsafeRawBufferPointer>
    ) throws(Problem) -> Unicode.Scalar {
        let first = try codeUnit(&rest)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), rest.starts(with: #"\u"#.utf8) else {
            throw Problem("half a surrogate pair")
        }
        rest = rest.dropFirst(2)
        let second = try codeUnit(&rest)
        guard UTF16.isTrailSurrogate(second) else { throw Problem("half a surrogate pair") }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private static func codeUnit(
        _ rest: inout Slice<UnsafeRawBufferPointer>
    ) throws(Problem) -> UInt16 {
        let digits = rest.prefix(4).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        rest = rest.dropFirst(4)
        guard digits.count == 4 else { throw Problem("an escape that JSON does not have") }
        return digits.reduce(0) { $0 << 4 | UInt16($1) }
    }

    // MARK: - Numbers

    /// A number as it appears in the text.
    private struct Numeral {
        var bytes: Slice<UnsafeRawBufferPointer>
        /// Whether it has neither a fraction nor an exponent.
        var isWhole: Bool

        var text: String { String(decoding: bytes, as: UTF8.self) }

        /// The value; nil if it is not whole, or too great.
        var integer: Int64? {
            guard isWhole else { return nil }
            // That many digits fit in any case.
            guard bytes.count < 19 else { return Int64(text) }
            let isNegative = bytes.first == UInt8(ascii: "-")
            let magnitude = bytes.dropFirst(isNegative ? 1 : 0)
                .reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
            return isNegative ? -magnitude : magnitude
        }
    }

    private mutating func numeral() throws(Problem) -> Numeral {
        let start = index
        let isWhole = try skipNumeral()
        return Numeral(bytes: bytes[start..<index], isWhole: isWhole)
    }

    /// Skips a number.
    ///
    /// - Returns: Whether it has neither a fraction nor an exponent.
    private mutating func skipNumeral() throws(Problem) -> Bool {
        var isWhole = true
        _ = takeByte(UInt8(ascii: "-"))
        let digits = index
        let count = skipDigits()
        guard count > 0 else { throw unexpected("a number") }
        guard count == 1 || bytes[digits] != UInt8(ascii: "0") else {
            throw Problem("a number with a zero before it")
        }
        if takeByte(UInt8(ascii: ".")) {
            isWhole = false
            guard skipDigits() > 0 else { throw unexpected("a digit") }
        }
        if takeByte(UInt8(ascii: "e")) || takeByte(UInt8(ascii: "E")) {
            isWhole = false
            _ = takeByte(UInt8(ascii: "+")) || takeByte(UInt8(ascii: "-"))
            guard skipDigits() > 0 else { throw unexpected("a digit") }
        }
        return isWhole
    }

    private static func double(_ number: Numeral) throws(Problem) -> Double {
        if let value = number.integer, value.magnitude < 1 << 53, value != 0 {
            return Double(value)
        }
        guard let value = Double(number.text), value.isFinite else {
            throw Problem("\(number.text) is too great a number")
        }
        return value
    }

    // MARK: - Bytes

    private func next() -> UInt8? { index < bytes.count ? bytes[index] : nil }

    private func unexpected(_ expected: String) -> Problem {
        guard let byte = next() else { return Problem("it ends where \(expected) is expected") }
        let found = Character(Unicode.Scalar(byte))
        return Problem("\(expected) is expected where \(String(reflecting: found)) stands")
    }

    private mutating func skipSpace() {
        while let byte = next(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            index += 1
        }
    }

    private mutating func takeByte(_ byte: UInt8) -> Bool {
        guard next() == byte else { return false }
        index += 1
        return true
    }

    /// Takes a character and the space before it, if it is the next one.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        return takeByte(byte)
    }

    private mutating func expect(_ byte: UInt8, _ what: String) throws(Problem) {
        guard take(byte) else { throw unexpected(what) }
    }

    private mutating func takeNull() -> Bool { isNull && takeWord("null") }

    private mutating func takeWord(_ word: StaticString) -> Bool {
        let end = index + word.utf8CodeUnitCount
        guard end <= bytes.count, let base = bytes.baseAddress,
            memcmp(base + index, word.utf8Start, word.utf8CodeUnitCount) == 0
        else { return false }
        index = end
        return true
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while let byte = next(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { index += 1 }
        return index - start
    }
}
