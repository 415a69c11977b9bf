import FerryHTTP
import FoundationEssentials

/// A protocol for continuing uploads.
///
/// The drafts are versions of draft-ietf-httpbis-resumable-upload, named after the number in their messages
/// (`Upload-Draft-Interop-Version`).
package enum UploadProtocol: String, Hashable, Sendable, Codable, CaseIterable {
    /// Draft -01, which names what is incomplete.
    case draft3
    /// Draft -03, which names what is complete.
    case draft5
    /// Drafts -04 and -05, with a media type for parts and with limits.
    case draft6
    /// Drafts from -09 on.
    case draft8
    /// tus 1.0.
    case tus

    /// The draft's number; `nil` for tus.
    package var interopVersion: Int? {
        switch self {
        case .draft3: 3
        case .draft5: 5
        case .draft6: 6
        case .draft8: 8
        case .tus: nil
        }
    }

    /// The draft with a number, if it is supported.
    package init?(interopVersion: Int) {
        guard let draft = Self.drafts.first(where: { $0.interopVersion == interopVersion }) else {
            return nil
        }
        self = draft
    }

    /// The drafts, in the order in which a server is offered them.
    package static let drafts: [UploadProtocol] = [.draft8, .draft6, .draft5, .draft3]

    /// The draft to offer next to a server that has not accepted this one.
    var successor: UploadProtocol {
        guard let index = Self.drafts.firstIndex(of: self) else { return self }
        return Self.drafts[(index + 1) % Self.drafts.count]
    }

    /// Returns whether a status reports how far an upload has come.
    func tellsOffset(byStatus status: Int) -> Bool {
        switch self {
        // Draft -03 was the first one to allow 200 beside 204.
        case .draft3: status == 204
        case .draft5, .draft6, .draft8, .tus: status == 204 || status == 200
        }
    }

    /// Returns whether a status says that the server no longer knows the upload.
    func tellsLoss(byStatus status: Int) -> Bool {
        switch self {
        case .draft3, .draft5, .draft6, .draft8: status == 404 || status == 410
        // tus: a server may respond with 403 to hide that an upload does not exist.
        case .tus: status == 404 || status == 410 || status == 403
        }
    }
}

/// The fields that a protocol adds to requests.
extension UploadProtocol {
    /// Returns the fields by which the app's request offers to be continued.
    func creationFields(byteCount: Int64?) -> [HTTPField] {
        guard interopVersion != nil else { return versionFields }
        var fields = versionFields + completenessFields(isComplete: true)
        if self == .draft8, let byteCount { fields.append(.uploadLength(byteCount)) }
        return fields
    }

    /// The fields of a request that asks how far an upload has come, or terminates it.
    var versionFields: [HTTPField] {
        guard let interopVersion else {
            return [HTTPField(name: "Tus-Resumable", value: "1.0.0")]
        }
        return [HTTPField(name: Self.versionName, value: String(interopVersion))]
    }

    /// Returns the fields of a request that sends a part.
    ///
    /// - Parameters:
    ///   - offset: Where the part begins.
    ///   - isComplete: Whether the upload is complete with it.
    ///   - contentType: The type of what the app uploads.
    /// - Returns: The fields.
    func appendFields(
        offset: Int64,
        isComplete: Bool,
        contentType: String?
    ) -> [HTTPField] {
        var fields = versionFields
        fields.append(HTTPField(name: "Upload-Offset", value: String(offset)))
        if interopVersion != nil { fields += completenessFields(isComplete: isComplete) }
        let type =
            switch self {
            case .draft3, .draft5: contentType
            case .draft6, .draft8: "application/partial-upload"
            case .tus: Self.tusMediaType
            }
        if let type { fields.append(HTTPField(name: "Content-Type", value: type)) }
        return fields
    }

    private func completenessFields(isComplete: Bool) -> [HTTPField] {
        self == .draft3
            ? [HTTPField(name: "Upload-Incomplete", value: isComplete ? "?0" : "?1")]
            : [HTTPField(name: "Upload-Complete", value: isComplete ? "?1" : "?0")]
    }

    static let versionName = "Upload-Draft-Interop-Version"
    static let tusMediaType = "application/offset+octet-stream"

    /// The fields for continuing uploads: an app that sets one does that itself.
    static let ownNames = [
        versionName, "Upload-Complete", "Upload-Incomplete", "Upload-Length", "Upload-Offset",
        "Tus-Resumable", "Upload-Defer-Length", "Upload-Concat",
    ]
}

extension HTTPField {
    static func uploadLength(_ byteCount: Int64) -> HTTPField {
        HTTPField(name: "Upload-Length", value: String(byteCount))
    }
}

extension TransferRequest {
    /// Whether an upload by this request can be offered to be continued: Apple leaves out methods without a
    /// body, and an app may do that itself.
    package var allowsResumableUpload: Bool {
        !["GET", "HEAD", "DELETE", "OPTIONS", "CONNECT", "TRACE"].contains(method)
            && !hasFields(UploadProtocol.ownNames)
    }

    private func hasFields(_ names: [String]) -> Bool {
        fields.contains { field in names.contains { field.isNamed($0) } }
    }

    /// Returns a request about the upload that this one has begun, with the app's fields.
    ///
    /// The fields that describe the body are left out. Elsewhere than at the origin that the app made the
    /// request for, so are those that may be secrets.
    ///
    /// - Parameters:
    ///   - url: The request's URL.
    ///   - method: Its method.
    ///   - added: Its additional fields.
    /// - Returns: The request.
    func uploadRequest(to url: String, method: String, adding added: [HTTPField]) -> TransferRequest
    {
        var next = RedirectPolicy.request(self, movedTo: url)
        next.method = method
        next.body = nil
        next.fields.removeAll { field in Self.bodyNames.contains { field.isNamed($0) } }
        next.fields += added
        return next
    }

    private static let bodyNames =
        RedirectPolicy.bodyNames + UploadProtocol.ownNames
        + ["Content-Digest", "Content-MD5", "Digest", "Repr-Digest", "Upload-Metadata"]
}
