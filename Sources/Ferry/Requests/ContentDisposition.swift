/// The file name in a Content-Disposition field (RFC 6266).
package enum ContentDisposition {
    /// Returns the name that a field's value proposes; nil when it proposes none that can be read.
    ///
    /// `filename*` (RFC 8187) takes precedence over `filename` (RFC 6266 §4.3).
    ///
    /// - Parameter value: The field's value.
    /// - Returns: The proposed name, which is not to be trusted.
    package static func fileName(in value: String) -> String? {
        let parameters = FieldParameters(of: value)
        return parameters["filename*"].flatMap { decoded($0) } ?? parameters["filename"]
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
}
