import Foundation

/// A media type with its parameters, as a `data:` URL writes it.
struct MediaType: Hashable, Sendable {
    /// The type and the subtype, in lower case.
    let name: String
    /// The values by their names in lower case; if a name repeats, the first value counts.
    let parameters: [String: String]

    /// Parses a type; nil for invalid text.
    ///
    /// Empty text, or parameters alone, means `text/plain`. A parameter without a value is ignored.
    init?(_ text: Substring) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        let first = (parts.first ?? "").trimmed
        let type = first.isEmpty ? "text/plain" : first
        let words = type.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count == 2, words.allSatisfy(\.isToken) else { return nil }
        name = type.lowercased()
        parameters = parts.dropFirst().reduce(into: [:]) { parameters, part in
            guard let (name, value) = Self.parameter(part), parameters[name] == nil else { return }
            parameters[name] = value
        }
    }

    private static func parameter(_ text: Substring) -> (name: String, value: String)? {
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, sides[0].trimmed.isToken else { return nil }
        // A value that is not a token is escaped, not quoted, RFC 2397 §3; many URLs do both.
        let decoded = String(decoding: sides[1].trimmed.utf8.percentDecoded, as: UTF8.self)
        let isQuoted = decoded.count > 1 && decoded.hasPrefix("\"") && decoded.hasSuffix("\"")
        let value = isQuoted ? String(decoded.dropFirst().dropLast()) : decoded
        return value.isEmpty ? nil : (sides[0].trimmed.lowercased(), value)
    }
}

extension Substring {
    /// The text without spaces at its ends, which are always escaped in a URL.
    var trimmed: Substring {
        var rest = self
        while rest.hasPrefix("%20") { rest.removeFirst(3) }
        while rest.hasSuffix("%20") { rest.removeLast(3) }
        return rest
    }

    /// Whether it is a token of RFC 9110 §5.6.2.
    fileprivate var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default:
                    "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}

extension LocalFile {
    /// Returns the type for a file name extension; `application/octet-stream` for unknown ones.
    ///
    /// The desktop's type database (shared-mime-info) is not used: no library for it is always installed, and servers
    /// do not have it. The names are those that IANA has
    /// registered, or the common ones where it has none.
    static func mimeType(ofExtension name: String) -> String {
        types[name.lowercased()] ?? "application/octet-stream"
    }

    private static let types = [
        "7z": "application/x-7z-compressed",
        "aac": "audio/aac",
        "avif": "image/avif",
        "bmp": "image/bmp",
        "bz2": "application/x-bzip2",
        "css": "text/css",
        "csv": "text/csv",
        "flac": "audio/flac",
        "gif": "image/gif",
        "gz": "application/gzip",
        "heic": "image/heic",
        "htm": "text/html",
        "html": "text/html",
        "ics": "text/calendar",
        "jpeg": "image/jpeg",
        "jpg": "image/jpeg",
        "js": "text/javascript",
        "json": "application/json",
        "log": "text/plain",
        "m4a": "audio/mp4",
        "m4v": "video/mp4",
        "md": "text/markdown",
        "mjs": "text/javascript",
        "mov": "video/quicktime",
        "mp3": "audio/mpeg",
        "mp4": "video/mp4",
        "mpeg": "video/mpeg",
        "oga": "audio/ogg",
        "ogg": "audio/ogg",
        "ogv": "video/ogg",
        "otf": "font/otf",
        "pdf": "application/pdf",
        "png": "image/png",
        "rtf": "application/rtf",
        "svg": "image/svg+xml",
        "tar": "application/x-tar",
        "tif": "image/tiff",
        "tiff": "image/tiff",
        "ttf": "font/ttf",
        "txt": "text/plain",
        "wasm": "application/wasm",
        "wav": "audio/wav",
        "webm": "video/webm",
        "webp": "image/webp",
        "woff": "font/woff",
        "woff2": "font/woff2",
        "xhtml": "application/xhtml+xml",
        "xml": "application/xml",
        "xz": "application/x-xz",
        "yaml": "application/yaml",
        "yml": "application/yaml",
        "zip": "application/zip",
        "zst": "application/zstd",
    ]
}
