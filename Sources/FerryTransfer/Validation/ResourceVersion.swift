import FerryHTTP

/// The version of the resource that the bytes of a file belong to.
package struct ResourceVersion: Hashable, Sendable, Codable {
    /// The proof of the version; `nil` when there is none, so that the bytes cannot be continued.
    package var validator: Validator?
    /// The length of the whole resource, where known.
    package var totalByteCount: Int64?
    /// Scheme, host and port of the URL that answered.
    package var origin: String
    /// The path of the URL that answered.
    ///
    /// Without the query, where signed URLs carry secrets that change with each request.
    package var path: String
    /// The address that the resource had then, among those that it was given; `nil` for the first.
    ///
    /// A validator need not mean the same under another address.
    package var link: Int?
    /// The content coding that the bytes are in, as nobody has asked for it; `nil` for bytes as they are.
    ///
    /// Some servers give both the same entity tag.
    package var coding: String?

    /// Makes a version from its parts.
    package init(
        validator: Validator?,
        totalByteCount: Int64?,
        url: String,
        link: Int? = nil,
        coding: String? = nil
    ) {
        self.validator = validator
        self.totalByteCount = totalByteCount
        self.link = link
        self.coding = coding
        let place = Origin.place(of: url)
        origin = place?.origin.description ?? ""
        path = place?.path ?? ""
    }

    /// Returns why a response from another URL is not about the same resource, or `nil` when it is.
    ///
    /// A validator is a promise about one resource (RFC 9110 §8.8). Redirects may lead to another
    /// mirror each time, where an entity tag still means something under the same path; a date
    /// does not.
    func mismatch(withURL url: String) -> String? {
        let other = ResourceVersion(validator: nil, totalByteCount: nil, url: url)
        let isSame =
            switch validator {
            case .strongETag: path == other.path
            case .lastModified, nil: path == other.path && origin == other.origin
            }
        return isSame ? nil : "the part is from another place"
    }

    /// Returns whether the bytes of a part are in the same coding.
    ///
    /// A part need not repeat what the fields of the whole were (RFC 9110 §15.3.7).
    func hasCoding(of part: HTTPResponseHead) -> Bool {
        part.keptCoding.map { $0 == coding } ?? true
    }
}

extension HTTPResponseHead {
    /// The content coding that the body comes in; `nil` for none, and for one that was undone.
    var keptCoding: String? {
        guard !isDecoded else { return nil }
        let codings = contentCodings
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }
}
