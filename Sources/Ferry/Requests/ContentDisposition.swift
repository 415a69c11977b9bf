import Foundation
package import FoundationNetworking

/// The file name in a Content-Disposition field (RFC 6266), as browsers read it.
///
/// Servers send names in more forms than the RFC knows. What a form means is what Chrome makes of it, or else Firefox.
package enum ContentDisposition {
    /// Returns the name that a response proposes; nil when it proposes none that can be read.
    ///
    /// - Parameter response: The response.
    /// - Returns: The proposed name, which is not to be trusted.
    package static func fileName(proposedBy response: HTTPURLResponse) -> String? {
        guard let value = response.value(forHTTPHeaderField: "Content-Disposition") else {
            return nil
        }
        let charset = response.value(forHTTPHeaderField: "Content-Type")
            .flatMap { FieldParameters(of: $0)["charset"] }
        return fileName(in: value, charset: charset)
    }

    /// Returns the name that a field's value proposes; nil when it proposes none that can be read.
    ///
    /// `filename*` (RFC 8187) takes precedence over `filename` (RFC 6266 §4.3), and the first of several parameters of a
    /// name over the others.
    ///
    /// - Parameters:
    ///   - value: The field's value.
    ///   - charset: The encoding of the response's text, which names in no other encoding may have as well.
    /// - Returns: The proposed name, which is not to be trusted.
    package static func fileName(in value: String, charset: String? = nil) -> String? {
        let parameters = FieldParameters(of: value)
        return parameters["filename*"].flatMap { extended($0) } ?? continued(parameters)
            ?? parameters["filename"].map { plain($0, LegacyEncoding(label: charset)) }
    }

    // MARK: - Extended values

    /// The text of an extended value such as `UTF-8''na%C3%AFve`; RFC 8187 §3.2.
    private static func extended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = unescaped(parts[2], isLenient: false) else {
            return nil
        }
        return LegacyEncoding(label: String(parts[0]))?.text(bytes)
    }

    /// The text in parts such as `filename*0="na"; filename*1*=%C3%AF`; RFC 2231 §3, which Firefox reads.
    private static func continued(_ parameters: FieldParameters) -> String? {
        var bytes: [UInt8] = []
        var encoding = LegacyEncoding(label: "utf-8")
        var number = 0
        while true {
            if var value = parameters["filename*\(number)*"] {
                if number == 0 {
                    let parts = value.split(
                        separator: "'",
                        maxSplits: 2,
                        omittingEmptySubsequences: false
                    )
                    guard parts.count == 3 else { return nil }
                    encoding = LegacyEncoding(label: String(parts[0]))
                    value = String(parts[2])
                }
                guard let part = unescaped(value, isLenient: false) else { return nil }
                bytes += part
            } else if let value = parameters["filename*\(number)"] {
                bytes += Array(value.utf8)
            } else {
                break
            }
            number += 1
        }
        return number > 0 ? encoding?.text(bytes) : nil
    }

    /// The bytes of a text with percent escapes; nil if it has an incomplete one, and nothing is lenient.
    private static func unescaped(_ text: some StringProtocol, isLenient: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), let value = hexadecimal(digits) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else if byte == UInt8(ascii: "%"), !isLenient {
                return nil
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard digits.count == 2, !digits.contains(UInt8(ascii: "+")) else { return nil }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    // MARK: - Plain values

    /// The name that a plain value means: raw bytes, percent escapes, or encoded words (RFC 2047), which were never
    /// permitted here.
    private static func plain(_ value: String, _ charset: LegacyEncoding?) -> String {
        guard value.utf8.allSatisfy({ $0 < 0x80 }) else {
            return LegacyEncoding.reread(value, as: charset)
        }
        guard value.contains("=?") || value.contains("%") else { return value }
        var text = ""
        var blank = ""
        var isBehindWord = false
        for part in parts(of: value) {
            if part.allSatisfy({ $0 == " " || $0 == "\t" }) {
                blank = part
                continue
            }
            if let word = encodedWord(part) {
                // A blank between two of them is not part of the text (§6.2).
                text += (isBehindWord ? "" : blank) + word
                isBehindWord = true
            } else {
                text += blank + percentDecoded(part, charset)
                isBehindWord = false
            }
            blank = ""
        }
        return text + blank
    }

    /// The runs of blanks and of other characters, in order.
    private static func parts(of value: String) -> [String] {
        var parts: [String] = []
        var wasBlank: Bool?
        for character in value {
            let isBlank = character == " " || character == "\t"
            if isBlank == wasBlank {
                parts[parts.count - 1].append(character)
            } else {
                parts.append(String(character))
            }
            wasBlank = isBlank
        }
        return parts
    }

    private static func percentDecoded(_ text: String, _ charset: LegacyEncoding?) -> String {
        guard let bytes = unescaped(text, isLenient: true), bytes.count < text.utf8.count else {
            return text
        }
        return String(validating: bytes, as: UTF8.self) ?? charset?.text(bytes) ?? text
    }

    /// The text of one or more encoded words without blanks between them, such as `=?UTF-8?Q?na=C3=AFve?=`.
    private static func encodedWord(_ text: String) -> String? {
        var decoded = ""
        var rest = text[...]
        while !rest.isEmpty {
            guard let word = rest.prefixMatch(of: /=\?([^?]+)\?([BbQq])\?([^?]*)\?=/) else {
                return nil
            }
            let label = word.1.prefix { $0 != "*" }
            let bytes = word.2.lowercased() == "b" ? base64(word.3) : quoted(word.3)
            guard let bytes, let part = LegacyEncoding(label: String(label))?.text(bytes) else {
                return nil
            }
            decoded += part
            rest = rest[word.range.upperBound...]
        }
        return decoded
    }

    private static func base64(_ text: Substring) -> [UInt8]? {
        // The padding is often missing.
        let digits = text.filter { $0 != "=" }
        let padding = String(repeating: "=", count: (4 - digits.count % 4) % 4)
        return Data(base64Encoded: digits + padding).map { Array($0) }
    }

    /// The bytes of the Q encoding; RFC 2047 §4.2.
    private static func quoted(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "_"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "="):
                guard let value = hexadecimal(rest.prefix(2)) else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}
