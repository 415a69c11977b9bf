package import FerryHTTP

/// The proof that two responses carry bytes of the same version of a resource.
package enum Validator: Hashable, Sendable, Codable {
    /// An entity tag that changes with every change of the bytes, with its quotes.
    case strongETag(String)
    /// A modification date, as the server wrote it, that is known to be exact enough.
    case lastModified(String)
    /// No proof: a weak entity tag, a date that may hide a change, or nothing, as an empty text.
    ///
    /// The bytes can be continued all the same, by a comparison: see ``Resumption``.
    case weak(String)

    /// The validator of a response, or `nil` when its bytes cannot be continued.
    ///
    /// - A weak entity tag stands for bytes that may differ, and its presence forbids using the
    ///   date in its place (RFC 9110 §13.1.5).
    /// - A date is strong only when the response was made at least a second later, by the
    ///   server's own clock: a second change within the same second would not show (§8.8.2.2).
    /// - It stands for the bytes as they were sent, so for a decoded body it is weak. A decoded body without a tag and a
    ///   date has no validator.
    package init?(head: HTTPResponseHead) {
        self.init(asSent: head)
        guard head.isDecoded else { return }
        guard !isNothing else { return nil }
        self = .weak(text)
    }

    /// The validator of a response for the bytes as they were sent.
    private init(asSent head: HTTPResponseHead) {
        let tags = Self.tags(of: head)
        if tags.count == 1, Self.isStrong(tags[0]) {
            self = .strongETag(tags[0])
        } else if tags.contains(where: { Self.isStrong($0) || Self.isWeak($0) }) {
            guard let tag = tags.first, tags.allSatisfy({ $0.isSameText(as: tag) }),
                Self.isStrong(tag)
            else {
                self = .weak(tags.joined(separator: ", "))
                return
            }
            self = .strongETag(tag)
        } else {
            let dates = Set(head.fields.values(named: "Last-Modified"))
            self = .weak(dates.sorted().joined(separator: ", "))
            guard dates.count == 1, let text = dates.first,
                let modified = HTTPDate(text),
                let date = head.fields.first(named: "Date").flatMap({ HTTPDate($0) }),
                date.secondsSince1970 - modified.secondsSince1970 >= 1
            else { return }
            self = .lastModified(text)
        }
    }

    /// The value of `If-Range` that asks for a part of this version only; `nil` where that proves nothing
    /// (RFC 9110 §13.1.5).
    package var ifRange: String? {
        switch self {
        case .strongETag(let tag): tag
        case .lastModified(let date): date
        case .weak: nil
        }
    }

    /// What the server has sent; empty for nothing.
    var text: String {
        switch self {
        case .strongETag(let text), .lastModified(let text), .weak(let text): text
        }
    }

    /// Whether it proves a version.
    package var isStrong: Bool { ifRange != nil }

    /// Whether it is none at all.
    var isNothing: Bool { self == .weak("") }

    /// Returns why a partial response is not of this version, or `nil` when it is.
    ///
    /// A 206 must repeat the entity tag that a 200 would have had, but a server is right to leave out
    /// `Last-Modified` if `If-Range` was sent (RFC 9110 §15.3.7).
    func mismatch(withPart head: HTTPResponseHead) -> String? {
        switch self {
        case .strongETag(let tag):
            let tags = Self.tags(of: head)
            if tags.isEmpty { return "the part has no ETag" }
            return tags.allSatisfy { $0.isSameText(as: tag) } ? nil : "the part's ETag is another"
        case .lastModified(let date):
            let dates = head.fields.values(named: "Last-Modified")
            return dates.allSatisfy { $0 == date } ? nil : "the part's Last-Modified is another"
        case .weak:
            return "nothing says which version the part is of"
        }
    }

    /// Returns all entity tags of a response, including malformed ones.
    private static func tags(of head: HTTPResponseHead) -> [String] {
        head.fields.values(named: "ETag").map { String($0.trimmingSpaces) }
    }

    /// `DQUOTE *etagc DQUOTE` (RFC 9110 §8.8.3).
    static func isStrong(_ tag: some StringProtocol) -> Bool {
        let bytes = Array(tag.utf8)
        guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return false }
        return bytes.dropFirst().dropLast().allSatisfy { byte in
            byte == 0x21 || (0x23...0x7e).contains(byte) || byte >= 0x80
        }
    }

    static func isWeak(_ tag: String) -> Bool {
        tag.hasPrefix("W/") && isStrong(tag.dropFirst(2))
    }
}

extension String {
    /// Whether both consist of the same bytes; `==` ignores that an accent may be written in two ways.
    fileprivate func isSameText(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
