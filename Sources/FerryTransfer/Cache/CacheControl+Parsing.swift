extension CacheControl {
    /// One directive of a list.
    struct Directive: Hashable {
        /// In lower case.
        var name: String
        /// Without quotes; empty where there is none.
        var argument: String
    }

    /// The directives of a field's value.
    static func directives(in value: String) -> [Directive] {
        members(of: value).compactMap { member in
            let parts = member.utf8.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            ).map { Substring($0) }
            let name = parts[0].trimmingSpaces.lowercased()
            guard !name.isEmpty else { return nil }
            let argument = parts.count == 2 ? unquoted(parts[1].trimmingSpaces) : ""
            return Directive(name: name, argument: argument)
        }
    }

    /// Splits a list at the commas that are not within quotes.
    ///
    /// If a quote is never closed, quotes are ignored: otherwise a mistyped extension could hide a `no-store`.
    /// Bytes are compared, not characters: a comma with an accent is another character.
    private static func members(of value: String) -> [Substring] {
        var members: [Substring] = []
        var rest = value[...]
        var isQuoted = false
        var isEscaped = false
        for index in value.utf8.indices {
            let byte = value.utf8[index]
            if byte == UInt8(ascii: ","), !isQuoted {
                members.append(rest[..<index])
                rest = value[value.utf8.index(after: index)...]
                continue
            }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
        }
        return isQuoted
            ? value.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0) }
            : members + [rest]
    }

    /// An argument may be written as a token or quoted, whatever its directive says (§5.2).
    private static func unquoted(_ argument: Substring) -> String {
        let (bytes, quote) = (argument.utf8, UInt8(ascii: "\""))
        guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else {
            return String(argument)
        }
        var text: [UInt8] = []
        var isEscaped = false
        for byte in bytes.dropFirst().dropLast() {
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            if !isEscaped { text.append(byte) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Int64 {
    /// Reads a number of seconds as caches write it (`delta-seconds`, RFC 9111 §1.2.2).
    ///
    /// A number above 2³¹, with any number of digits, counts as 2³¹. `nil` for a text that is not only digits.
    init?(deltaSeconds text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        self = Swift.min(Int64(text) ?? Self.greatestDeltaSeconds, Self.greatestDeltaSeconds)
    }

    private static let greatestDeltaSeconds: Int64 = 1 << 31
}
