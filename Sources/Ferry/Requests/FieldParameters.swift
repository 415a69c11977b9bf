/// The parameters of a field's value, such as `charset` in Content-Type (RFC 9110 §5.6.6).
///
/// They are read by scalars, not characters: a quote with an accent is another character, but still ends a string.
struct FieldParameters {
    private var parameters: [(name: String, value: String)] = []

    /// Reads the parameters behind the first semicolon of a field's value.
    init(of value: String) {
        var rest = value.unicodeScalars.drop { $0 != ";" }
        while rest.popFirst() != nil {
            let name = Self.trimmed(Self.take(upTo: ";=", from: &rest)).lowercased()
            guard rest.popFirst(if: "=") else { continue }
            rest = rest.drop { $0 == " " || $0 == "\t" }
            if rest.popFirst(if: "\"") {
                parameters.append((name, Self.takeQuoted(from: &rest)))
                _ = Self.take(upTo: ";", from: &rest)
            } else {
                parameters.append((name, Self.trimmed(Self.take(upTo: ";", from: &rest))))
            }
        }
    }

    /// The value of the first parameter with a name in lower case; nil if there is none.
    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

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
