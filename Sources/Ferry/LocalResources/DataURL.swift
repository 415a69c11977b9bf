import Foundation

/// The content of a `data:` URL, RFC 2397.
///
/// Where the RFC leaves something open, the URL is read as in browsers,
/// https://fetch.spec.whatwg.org/#data-url-processor: Base64 may contain white space and lack its padding. A fragment
/// is not part of the content. Two rules follow Apple's library, by Foundation's own tests: a text without a type has
/// no character set, although the RFC says US-ASCII, and an invalid media type is an error.
struct DataURL: Hashable, Sendable {
    /// The type without parameters, such as `text/plain`.
    var mimeType: String
    /// The character set, as the URL writes it; nil where it names none.
    var textEncodingName: String?
    /// The bytes.
    var data: Data

    /// Reads a URL whose scheme is `data`.
    ///
    /// - Throws: ``URLError/badURL`` for a URL without a comma, of another scheme or with a malformed media type;
    ///   ``URLError/cannotDecodeRawData`` for invalid Base64.
    init(_ url: URL) throws(URLError) {
        let text = url.absoluteString.utf8.prefix { $0 != UInt8(ascii: "#") }
        guard url.scheme?.lowercased() == "data",
            let colon = text.firstIndex(of: UInt8(ascii: ":")),
            let comma = text.firstIndex(of: UInt8(ascii: ","))
        else { throw URLError(.badURL, url: url, reason: "A data URL needs a comma.") }
        let head = String(Substring(text[text.index(after: colon)..<comma]))
        let body = text[text.index(after: comma)...].percentDecoded
        let (type, isBase64) = Self.splitCoding(head)
        guard let mediaType = MediaType(type) else {
            throw URLError(.badURL, url: url, reason: "“\(type.prefix(100))” is no media type.")
        }
        if isBase64 {
            guard let decoded = Self.decodeBase64(body) else {
                throw URLError(.cannotDecodeRawData, url: url, reason: "This is no Base64.")
            }
            data = decoded
        } else {
            data = Data(body)
        }
        mimeType = mediaType.name
        textEncodingName = mediaType.parameters["charset"]
    }

    /// Returns the response that the app receives before the data.
    func response(to url: URL) -> URLResponse {
        URLResponse(
            url: url,
            mimeType: mimeType,
            expectedContentLength: data.count,
            textEncodingName: textEncodingName
        )
    }

    /// Removes the last word of a media type if it is `base64`.
    private static func splitCoding(_ head: String) -> (type: Substring, isBase64: Bool) {
        guard let semicolon = head.lastIndex(of: ";"),
            head[semicolon...].dropFirst().trimmed.lowercased() == "base64"
        else { return (head[...], false) }
        return (head[..<semicolon], true)
    }

    /// Decodes Base64, or returns nil if the text is invalid.
    private static func decodeBase64(_ text: [UInt8]) -> Data? {
        var digits = text.filter { !$0.isWhiteSpace }
        if digits.count.isMultiple(of: 4) {
            for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        }
        guard digits.count % 4 != 1, !digits.contains(UInt8(ascii: "=")) else { return nil }
        digits += [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        return Data(base64Encoded: Data(digits))
    }
}

extension UInt8 {
    /// Whether the byte is ASCII white space as web standards define it.
    fileprivate var isWhiteSpace: Bool { [0x09, 0x0a, 0x0c, 0x0d, 0x20].contains(self) }
}

extension Collection<UInt8> {
    /// The bytes that a part of a URL represents; a percent sign that does not begin an escape represents itself.
    ///
    /// Foundation's `removingPercentEncoding` rejects bytes that are not UTF-8; here any bytes are allowed.
    var percentDecoded: [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(count)
        var rest = self[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap(\.hexadecimalValue)
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                decoded.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
