import FerryHTTP

/// What a response, also an interim one, says about an upload.
struct UploadReport: Hashable {
    /// The number of the draft that it was made by.
    var interopVersion: Int?
    /// How many bytes the server has.
    var offset: Int64?
    /// Whether the server has all.
    ///
    /// By either of the two fields: a server is known that names the wrong one in its final answers.
    var isComplete: Bool?
    /// How many bytes the upload has, as far as the server knows.
    var byteCount: Int64?
    /// Where the upload goes on; `nil` also for what is no place on a server, or one without TLS after one with it.
    var location: String?
    /// What the server wants the upload to keep to, if it says so.
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
        // Some that refuse a request tell only which versions they would take.
        isTus = ["Tus-Resumable", "Tus-Version"].contains { fields.first(named: $0) != nil }
    }
}

extension UploadReport {
    /// Whether what began by TLS would go on without.
    static func givesUpTLS(from first: String, to next: String) -> Bool {
        Origin(url: first)?.scheme == "https" && Origin(url: next)?.scheme != "https"
    }
}

extension Int64 {
    /// Reads an integer that is not negative (RFC 9651 §3.3.1), without regard to its parameters.
    init?(structuredInteger value: String) {
        let item = value.prefix { $0 != ";" }
        self.init(httpDigits: String(item).trimmingSpaces)
    }
}

extension Bool {
    /// Reads a boolean (RFC 9651 §3.3.6), without regard to its parameters.
    init?(structured value: String) {
        switch String(value.prefix { $0 != ";" }).trimmingSpaces {
        case "?1": self = true
        case "?0": self = false
        default: return nil
        }
    }
}
