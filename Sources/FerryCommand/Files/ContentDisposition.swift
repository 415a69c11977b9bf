/// A parser for the file name in a Content-Disposition field (RFC 6266).
///
/// It reads scalars, not characters: a quote with an accent is another character, but still ends a string.
enum ContentDisposition {
    /// Returns the name that a field's value proposes; nil when it proposes none that can be read.
    ///
    /// `filename*` (RFC 8187) takes precedence over `filename` (RFC 6266 §4.3).
    ///
    /// - Parameter value: The field's value.
    /// - Returns: The proposed name, which is not to be trusted.
    static func fileName(in value: String) -> String? {
        let parameters = parameters(of: value)
        let extended = parameters.first { $0.name == "filename*" }.flatMap { decoded($0.value) }
        return extended ?? parameters.first { $0.name == "filename" }?.value
    }

    private static func parameters(of value: String) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        var rest = value.unicodeScalars.drop { $0 != ";" }
        while rest.popFirst() != nil {
            let name = trimmed(take(upTo: ";=", from: &rest)).lowercased()
            guard rest.popFirst(if: "=") else { continue }
            rest = rest.drop { $0 == " " || $0 == "\t" }
            if rest.popFirst(if: "\"") {
                parameters.append((name, takeQuoted(from: &rest)))
                _ = take(upTo: ";", from: &rest)
            } else {
                parameters.append((name, trimmed(take(upTo: ";", from: &rest))))
            }
        }
        return parameters
    }

    private static func take(
        upTo ends: String,
        from text: inout Substring.UnicodeScalarView
    ) -> Substring.UnicodeScalarView {
        let part = text.prefix { !ends.unicodeScalars.contains($0) }
        text = text[part.endIndex...]
        return part
    }

    /// Takes the rest of a quoted string (RFC 9110 §5.6.4); all of it when its closing quote is missing.
    private static func takeQuoted(from text: inout Substring.UnicodeScalarView) -> String {
        var content = String.UnicodeScalarView()
        while let scalar = text.popFirst(), scalar != "\"" {
            guard let plain = scalar == "\\" ? text.popFirst() : scalar else { break }
            content.append(plain)
        }
        return String(content)
    }

    /// The text of an extended value such as `UTF-8''na%C3%AFve`; RFC 8187 §3.2.
    private static func decoded(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var bytes: [UInt8] = []
        var encoded = parts[2].utf8[...]
        while let byte = encoded.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: encoded.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else { return nil }
            bytes.append(value)
            encoded = encoded.dropFirst(2)
        }
        switch parts[0].lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }

    private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
        let end = text.lastIndex { !$0.properties.isWhitespace }
        return end.map { String(text[...$0].drop { $0.properties.isWhitespace }) } ?? ""
    }
}

extension Substring.UnicodeScalarView {
    /// Removes the first scalar if it is `scalar`; returns whether it was.
    fileprivate mutating func popFirst(if scalar: Unicode.Scalar) -> Bool {
        guard first == scalar else { return false }
        removeFirst()
        return true
    }
}
