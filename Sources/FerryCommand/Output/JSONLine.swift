import Foundation

/// A value as JSON in one line, as every `--json` writes it.
enum JSONLine {
    /// The line, without a newline.
    ///
    /// - Parameter value: The value.
    /// - Returns: The line, without a newline.
    /// - Throws: An error when the value cannot be encoded.
    static func text(_ value: some Encodable) throws -> String {
        escaped(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }()

    /// Escapes all characters that control a terminal: JSON requires it for C0 controls only, and names from outside
    /// may contain others.
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
