/// Parses a dictionary of structured fields (RFC 9651 §4.2.2) and returns only its byte sequences.
struct StructuredFieldScanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Returns the members in order, with the base64 of those that are byte sequences; `nil` for malformed
    /// text.
    mutating func dictionaryOfByteSequences() -> [(name: String, base64: String?)]? {
        var members: [(name: String, base64: String?)] = []
        skip(" ")
        while !isAtEnd {
            guard let name = key() else { return nil }
            var base64: String?
            if accept("=") {
                guard let value = value() else { return nil }
                base64 = value
            }
            guard parameters() else { return nil }
            members.append((name, base64.flatMap { $0.isEmpty ? nil : $0 }))
            skipOptionalSpace()
            if isAtEnd { return members }
            guard accept(",") else { return nil }
            skipOptionalSpace()
            // A trailing comma.
            if isAtEnd { return nil }
        }
        return members
    }

    // MARK: - Values

    /// Returns the base64 of a byte sequence, an empty text for any other value, or `nil` for a malformed one.
    private mutating func value() -> String? {
        if accept("(") { return innerList() ? "" : nil }
        return bareItem()
    }

    private mutating func bareItem() -> String? {
        guard let first = current else { return nil }
        switch first {
        case UInt8(ascii: ":"): return byteSequence()
        case UInt8(ascii: "\""): return quotedString() ? "" : nil
        default:
            // Numbers, dates, booleans, tokens and display strings: none of them can be a digest.
            let start = index
            while let byte = current, Self.isOfToken(byte) { index += 1 }
            return index > start ? "" : nil
        }
    }

    private mutating func byteSequence() -> String? {
        index += 1
        let start = index
        while let byte = current, byte != UInt8(ascii: ":") {
            guard Self.isOfBase64(byte) else { return nil }
            index += 1
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        return accept(":") ? text : nil
    }

    private mutating func quotedString() -> Bool {
        index += 1
        while let byte = current {
            index += 1
            if byte == UInt8(ascii: "\"") { return true }
            guard (0x20..<0x7F).contains(byte) else { return false }
            if byte == UInt8(ascii: "\\") {
                guard accept("\"") || accept("\\") else { return false }
            }
        }
        return false
    }

    private mutating func innerList() -> Bool {
        while !isAtEnd {
            skip(" ")
            if accept(")") { return true }
            guard bareItem() != nil, parameters() else { return false }
            guard current == UInt8(ascii: " ") || current == UInt8(ascii: ")") else { return false }
        }
        return false
    }

    private mutating func parameters() -> Bool {
        while accept(";") {
            skip(" ")
            guard key() != nil else { return false }
            if accept("="), bareItem() == nil { return false }
        }
        return true
    }

    private mutating func key() -> String? {
        let start = index
        guard let first = current, first == UInt8(ascii: "*") || Self.isLowerLetter(first) else {
            return nil
        }
        while let byte = current, Self.isOfKey(byte) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    // MARK: - Bytes

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private var isAtEnd: Bool { index == bytes.count }

    private mutating func accept(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func skip(_ character: Unicode.Scalar) { while accept(character) {} }

    private mutating func skipOptionalSpace() { while accept(" ") || accept("\t") {} }

    private static func isLowerLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isOfKey(_ byte: UInt8) -> Bool {
        isLowerLetter(byte) || isDigit(byte) || "_-.*".utf8.contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isOfBase64(_ byte: UInt8) -> Bool {
        isLowerLetter(byte | 0x20) || isDigit(byte) || "+/=".utf8.contains(byte)
    }

    private static func isOfToken(_ byte: UInt8) -> Bool {
        isLowerLetter(byte | 0x20) || isDigit(byte)
            || "!#$%&'*+-.^_`|~:/?@".utf8.contains(byte)
    }
}
