import Foundation

/// A value as JSON in one line, as every `--json` writes it.
enum JSONLine {
    /// The line, without a newline.
    ///
    /// - Parameter value: The value.
    /// - Returns: The line, without a newline.
    /// - Throws: When the value has no JSON.
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return escaped(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// The same JSON without anything that steers a terminal: JSON wants C0 controls escaped only, and names
    /// from outside may have others.
    private static func escaped(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: \.isInvisible) else { return json }
        return json.unicodeScalars.reduce(into: "") { text, scalar in
            guard scalar.isInvisible else { return text.unicodeScalars.append(scalar) }
            for unit in UTF16.encode(scalar) ?? .init() {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
}
