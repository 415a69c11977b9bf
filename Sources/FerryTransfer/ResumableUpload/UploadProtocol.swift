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
