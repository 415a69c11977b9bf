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
            let parts = member.split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let name = parts[0].trimmingSpaces.lowercased()
            guard !name.isEmpty else { return nil }
            let argument = parts.count == 2 ? unquoted(parts[1].trimmingSpaces) : ""
            return Directive(name: name, argument: argument)
        }
    }

    /// Splits a list at the commas that are not within quotes.
    ///
    /// Where a quote is never closed, quotes mean nothing: otherwise a `no-store` could hide behind
    /// a mistyped extension.
    private static func members(of value: String) -> [String] {
        var members: [String] = []
        var member = ""
        var isQuoted = false
        var isEscaped = false
        for character in value {
            if character == ",", !isQuoted {
                members.append(member)
                member = ""
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            member.append(character)
        }
        return isQuoted
            ? value.split(separator: ",").map { String($0) }
            : members + [member]
    }

    /// An argument may be written as a token or quoted, whatever its directive says (§5.2).
    private static func unquoted(_ argument: Substring) -> String {
        guard argument.count >= 2, argument.hasPrefix("\""), argument.hasSuffix("\"") else {
            return String(argument)
        }
        var text = ""
        var isEscaped = false
        for character in argument.dropFirst().dropLast() {
            isEscaped = character == "\\" && !isEscaped
            if !isEscaped { text.append(character) }
        }
        return text
    }
}
