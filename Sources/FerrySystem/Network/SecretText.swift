/// A text for people, a log or an app, without what may be secret in it.
package enum SecretText {
    /// What stands in place of a secret.
    private static let mark = "..."

    /// Masks the user and password of every address in a text, and every query.
    ///
    /// A password that was typed by mistake may contain any character, so in doubt more is masked: all from the beginning of
    /// an address, or else of the quotation or the word, up to the last `@`.
    ///
    /// - Parameters:
    ///   - text: The text, such as a message of libcurl's.
    ///   - secrets: Texts that are masked wherever they occur.
    /// - Returns: The text without secrets.
    package static func masked(_ text: String, hiding secrets: [String] = []) -> String {
        var text = text
        for secret in secrets where !secret.isEmpty {
            text = text.replacing(secret, with: mark)
        }
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "?") })
        else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { maskedLine($0) }.joined(separator: "\n")
    }

    /// Returns what is secret in an address: all before its host, its password, its query and its fragment.
    package static func secrets(in address: String) -> [String] {
        var secrets: [String] = []
        let start = address.firstRange(of: "://")?.upperBound ?? address.startIndex
        let rest = address[start...]
        if let at = rest.lastIndex(of: "@") {
            let user = rest[..<at]
            secrets.append(String(user))
            if let colon = user.firstIndex(of: ":") {
                let password = String(user[user.index(after: colon)...])
                // What is shorter is also a part of words.
                if password.utf8.count >= 4 { secrets += [password, decoded(password)] }
            }
        }
        if let query = rest.firstIndex(where: { $0 == "?" || $0 == "#" }) {
            secrets.append(String(rest[rest.index(after: query)...]))
        }
        // The longest first, so that none is left in pieces.
        return secrets.filter { $0.utf8.count >= 2 }.sorted { $0.utf8.count > $1.utf8.count }
    }

    private static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(Substring(digits)), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func maskedLine(_ line: Substring) -> String {
        var result = ""
        var rest = line
        // Each scheme begins an address, which goes on to the next one.
        while let scheme = rest.firstRange(of: "://") {
            result += maskedQuery(
                maskedUser(rest[..<scheme.lowerBound], hasScheme: !result.isEmpty)
            )
            result += "://"
            rest = rest[scheme.upperBound...]
        }
        return result + maskedQuery(maskedUser(rest, hasScheme: !result.isEmpty))
    }

    private static func maskedUser(_ text: Substring, hasScheme: Bool) -> String {
        guard let at = text.lastIndex(of: "@") else { return String(text) }
        guard !hasScheme else { return mark + text[at...] }
        let before = text[..<at]
        let quote = before.firstIndex { "'\"“‘".contains($0) } ?? before.lastIndex(of: " ")
        let start = quote.map { text.index(after: $0) } ?? text.startIndex
        return text[..<start] + mark + text[at...]
    }

    /// Masks what follows a question mark up to the end of the word.
    private static func maskedQuery(_ text: String) -> String {
        guard text.contains("?") else { return text }
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "?") {
            let query = rest[rest.index(after: mark)...]
            let end = query.firstIndex { " '\"”’".contains($0) } ?? query.endIndex
            result += rest[...mark] + (end == query.startIndex ? "" : Self.mark)
            rest = query[end...]
        }
        return result + rest
    }
}
