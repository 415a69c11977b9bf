import FerryHTTP

/// The version of the resource that the bytes of a file belong to.
package struct ResourceVersion: Hashable, Sendable, Codable {
    private enum PartsObstacle: String, Codable {
        /// The server has none, or the bytes were decoded.
        case absent
        /// A response contradicted itself about a part or the length.
        case contradiction
        /// The bytes are wrong: they differ from the server's, or have another digest.
        case refutation
    }

    /// A validator of the same bytes at another place.
    private struct Other: Hashable, Codable {
        let validator: Validator
        /// Where it was found; an entity tag means something under the same path of other servers, too.
        let origin: String?
        let path: String

        init?(_ version: ResourceVersion) {
            guard let validator = version.validator, validator.isStrong else { return nil }
            self.validator = validator
            if case .strongETag = validator { origin = nil } else { origin = version.origin }
            path = version.path
        }

        /// Whether a part is of these bytes, without a condition in its request.
        func isNamed(by head: HTTPResponseHead) -> Bool {
            guard let place = Origin.place(of: head.url), place.path == path,
                origin.map({ $0 == place.origin.description }) ?? true,
                validator.mismatch(withPart: head) == nil
            else { return false }
            if case .lastModified = validator { return head.hasLastModified }
            return true
        }
    }

    /// The proof of the version; `nil` when the bytes cannot be continued.
    package var validator: Validator?
    /// Other validators under which the same bytes were found, such as those of mirrors, or of the servers behind one address.
    private var others: [Other]?
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
    /// The media type of the response that delivered the first bytes, in lower case and without parameters.
    package var mediaType: String?
    /// The later one of `Date` and `Last-Modified` in the response that delivered the first bytes, in seconds since 1970.
    package var sent: Int64?
    /// Why no parts of it are asked for; `nil` if they are.
    ///
    /// The bytes are then compared with the whole, from the first one.
    private var partsObstacle: PartsObstacle?

    /// Makes a version from its parts.
    package init(
        validator: Validator?,
        totalByteCount: Int64?,
        url: String,
        link: Int? = nil,
        coding: String? = nil,
        mediaType: String? = nil,
        sent: Int64? = nil,
        hasParts: Bool = true
    ) {
        self.validator = validator
        self.totalByteCount = totalByteCount
        self.link = link
        self.coding = coding
        self.mediaType = mediaType
        self.sent = sent
        partsObstacle = hasParts ? nil : .absent
        let place = Origin.place(of: url)
        origin = place?.origin.description ?? ""
        path = place?.path ?? ""
    }

    /// Whether parts of it can be asked for.
    var hasParts: Bool { validator != nil && partsObstacle == nil }
    /// Whether its validator proves parts of it.
    var provesParts: Bool { hasParts && validator?.isStrong == true }
    /// Whether an app gets resume data: where there are no parts it would save nothing (RD-1).
    var hasResumeData: Bool { validator != nil && partsObstacle != .absent }

    /// Records whether a response offers parts.
    mutating func recordParts(of head: HTTPResponseHead) {
        partsObstacle = head.isWithoutParts ? .absent : nil
    }

    /// Records that a response has contradicted itself, so that its bytes prove nothing.
    mutating func doubtParts() { partsObstacle = partsObstacle ?? .contradiction }

    /// Whether the bytes are wrong, and stay only until others take their place.
    var isRefuted: Bool { partsObstacle == .refutation }

    /// Records that the bytes are wrong.
    mutating func refute() { partsObstacle = .refutation }

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
            case .lastModified, .weak, nil: path == other.path && origin == other.origin
            }
        return isSame ? nil : "the part is from another place"
    }

    /// Returns whether the bytes of a part are in the same coding.
    ///
    /// A part need not repeat what the fields of the whole were (RFC 9110 §15.3.7).
    func hasCoding(of part: HTTPResponseHead) -> Bool {
        part.keptCoding.map { $0 == coding } ?? true
    }

    /// Whether a response says that the resource was modified after its first bytes were sent.
    ///
    /// Servers behind one address may have other dates and tags for the same bytes, but none that is later.
    func isOlder(than head: HTTPResponseHead) -> Bool {
        // A strong tag tells more than a date.
        if case .strongETag? = validator, isOf(Validator(head: head)) { return false }
        guard let sent, let text = head.fields.first(named: "Last-Modified"),
            let modified = HTTPDate(text)
        else { return false }
        return modified.secondsSince1970 > sent
    }

    /// Whether its bytes are those of a validator, as far as the server says.
    ///
    /// A tag of decoded bytes is weak, and may be that of the bytes as they are.
    func isOf(_ validator: Validator?) -> Bool {
        guard let validator, let known = self.validator else { return validator == self.validator }
        let texts = [known.text] + (others ?? []).map(\.validator.text)
        return texts.contains(validator.text)
    }

    /// Returns why a partial response is not of this version, or `nil` when it is.
    func mismatch(withPart head: HTTPResponseHead) -> String? {
        guard let validator else { return "nothing says which version the part is of" }
        if others?.contains(where: { $0.isNamed(by: head) }) == true { return nil }
        // A part may leave out the date only if it was the condition (RFC 9110 §15.3.7).
        if case .lastModified = validator, ifRange == nil, !head.hasLastModified {
            return "the part has no Last-Modified"
        }
        return validator.mismatch(withPart: head) ?? mismatch(withURL: head.url)
    }

    /// The value of `If-Range` that asks for a part of this version only; `nil` where it would not prove that, or would
    /// keep servers with other validators from answering.
    var ifRange: String? {
        let isOnly = others?.allSatisfy { $0.validator == validator } ?? true
        return isOnly ? validator?.ifRange : nil
    }

    /// Records that the bytes of another version have proved to be the same.
    mutating func include(_ other: ResourceVersion) {
        let own = Other(self)
        let all = ((other.others ?? []) + [Other(other)].compactMap { $0 }).filter { $0 != own }
        // A server that makes a new tag for each answer must not fill the record.
        others = all.isEmpty ? nil : Array(all.suffix(32))
    }
}

extension HTTPResponseHead {
    fileprivate var hasLastModified: Bool { fields.first(named: "Last-Modified") != nil }
}

extension HTTPResponseHead {
    /// The content coding that the body comes in; `nil` for none, and for one that was undone.
    var keptCoding: String? {
        guard !isDecoded else { return nil }
        let codings = contentCodings
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }
}
