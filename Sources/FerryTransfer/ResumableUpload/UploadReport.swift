import FerryHTTP

/// The information about an upload in a response, even an interim one.
struct UploadReport: Hashable {
    /// The number of the draft that the response uses.
    var interopVersion: Int?
    /// The number of bytes that the server has.
    var offset: Int64?
    /// Whether the server has all bytes.
    ///
    /// Either of the two fields counts: a server is known that sends the wrong one in its final responses.
    var isComplete: Bool?
    /// How many bytes the upload has, as far as the server knows.
    var byteCount: Int64?
    /// Where the upload continues; also `nil` for an invalid URL, or one that gives up TLS.
    var location: String?
    /// The server's limits for the upload, if any.
    var limits: UploadLimits?
    /// Whether the server speaks tus.
    var isTus: Bool

    init(_ head: HTTPResponseHead) {
        let fields = head.fields
        interopVersion = fields.first(named: UploadProtocol.versionName)
            .flatMap { Int64(structuredInteger: $0) }.flatMap { Int(exactly: $0) }
        offset = fields.first(named: "Upload-Offset").flatMap { Int64(structuredInteger: $0) }
        byteCount = fields.first(named: "Upload-Length").flatMap { Int64(structuredInteger: $0) }
        isComplete =
            fields.first(named: "Upload-Complete").flatMap { Bool(structured: $0) }
            ?? fields.first(named: "Upload-Incomplete").flatMap { Bool(structured: $0) }
            .map { !$0 }
        location = fields.first(named: "Location")
            .flatMap { RedirectPolicy.serverURL($0, against: head.url) }
            .flatMap { Self.givesUpTLS(from: head.url, to: $0) ? nil : $0 }
        limits = fields.first(named: "Upload-Limit").map { UploadLimits($0) }
        // Some servers that refuse a request send only the versions that they accept.
        isTus = ["Tus-Resumable", "Tus-Version"].contains { fields.first(named: $0) != nil }
    }
}

extension UploadReport {
    /// Whether something that began with TLS would continue without it.
    static func givesUpTLS(from first: String, to next: String) -> Bool {
        Origin(url: first)?.scheme == "https" && Origin(url: next)?.scheme != "https"
    }
}

extension Int64 {
    /// Reads an integer that is not negative (RFC 9651 §3.3.1), ignoring its parameters.
    init?(structuredInteger value: String) {
        let item = value.prefix { $0 != ";" }
        self.init(httpDigits: String(item).trimmingSpaces)
    }
}

extension Bool {
    /// Reads a boolean (RFC 9651 §3.3.6), ignoring its parameters.
    init?(structured value: String) {
        switch String(value.prefix { $0 != ";" }).trimmingSpaces {
        case "?1": self = true
        case "?0": self = false
        default: return nil
        }
    }
}
