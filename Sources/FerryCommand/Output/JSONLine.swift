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
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
