import FerryHTTP

extension HTTPResponseHead {
    /// The length of the body on the wire, as the header announces it.
    ///
    /// `nil` when there is none, when the values disagree, and when a transfer coding takes its
    /// place (RFC 9112 §6.3).
    var contentLength: Int64? {
        guard fields.first(named: "Transfer-Encoding") == nil else { return nil }
        let fields = fields.values(named: "Content-Length")
        // Nearly always there is a single number, and nothing to parse.
        if fields.count == 1, let length = Int64(httpDigits: fields[0]) { return length }
        let values =
            fields
            .flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            .map { Int64(httpDigits: $0.trimmingSpaces) }
        guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// The media type, in lower case and without its parameters.
    var mediaType: String? {
        guard let value = fields.first(named: "Content-Type") else { return nil }
        let type = Substring(value.utf8.prefix { $0 != UInt8(ascii: ";") }).trimmingSpaces
        guard !type.isEmpty else { return nil }
        // Most are in lower case as they come.
        let isLower = type.utf8.allSatisfy { $0 < 0x80 && !(0x41...0x5A).contains($0) }
        return isLower ? String(type) : type.lowercased()
    }

    /// Whether the server says that it serves parts of this resource.
    var acceptsRanges: Bool {
        fields.values(named: "Accept-Ranges")
            .contains { value in
                value.split(separator: ",").contains { $0.trimmingSpaces.lowercased() == "bytes" }
            }
    }

    /// Whether parts of the body cannot be asked for: the server says so, or it was decoded.
    var isWithoutParts: Bool {
        isDecoded
            || fields.contains {
                guard $0.isNamed("Accept-Ranges") else { return false }
                let value = $0.value.trimmingSpaces
                return value.utf8.count == 4 && value.lowercased() == "none"
            }
    }

    /// The length of the part; `nil` for other responses, where `Content-Range` means nothing (RFC 9110 §14.4).
    var partByteCount: Int64? {
        status == 206 ? ContentRange(head: self)?.range?.byteCount : nil
    }

    /// The length of the body as it is stored.
    var storedLength: Int64? { isDecoded ? nil : contentLength }
}

extension StringProtocol {
    /// The text without the white space that HTTP allows around a value (`OWS`).
    ///
    /// Scalars, not characters: a space with an accent is another character, but still a space.
    var trimmingSpaces: SubSequence {
        let isSpace = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
        let scalars = unicodeScalars
        guard let start = scalars.firstIndex(where: { !isSpace($0) }),
            let last = scalars.lastIndex(where: { !isSpace($0) })
        else { return self[endIndex...] }
        return self[start..<scalars.index(after: last)]
    }
}
