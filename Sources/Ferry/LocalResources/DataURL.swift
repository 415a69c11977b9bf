import Foundation

/// The content of a `data:` URL, RFC 2397.
///
/// Where the RFC says nothing of what to do it is read as in browsers,
/// https://fetch.spec.whatwg.org/#data-url-processor: with white space in Base64 and without its padding. A
/// fragment is no part of the content. Where it says that a text without a type is US-ASCII, no character set is
/// told, and a media type that is none is an error: as in Apple's library, by Foundation's own tests.
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
    ///   ``URLError/cannotDecodeRawData`` where what is said to be Base64 is not.
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

    /// What an app is told before the data comes.
    func response(to url: URL) -> URLResponse {
        URLResponse(
            url: url,
            mimeType: mimeType,
            expectedContentLength: data.count,
            textEncodingName: textEncodingName
        )
    }

    /// Takes the last word off a media type, where that is `base64`.
    private static func splitCoding(_ head: String) -> (type: Substring, isBase64: Bool) {
        guard let semicolon = head.lastIndex(of: ";"),
            head[semicolon...].dropFirst().trimmed.lowercased() == "base64"
        else { return (head[...], false) }
        return (head[..<semicolon], true)
    }

    /// The bytes of a text in Base64; nil when it is none.
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
    /// Whether it is what the standards of the web call ASCII white space.
    fileprivate var isWhiteSpace: Bool { [0x09, 0x0a, 0x0c, 0x0d, 0x20].contains(self) }
}
