import FerryHTTP

extension StoredResponse {
    /// The fields that ask whether this response is still current; none without a validator.
    ///
    /// A weak entity tag suffices: the question is whether the representation is as good as the stored one, not
    /// whether their bytes can be combined (RFC 9110 §13.1.2).
    var conditions: [HTTPField] {
        var fields: [HTTPField] = []
        if let entityTag { fields.append(HTTPField(name: "If-None-Match", value: entityTag)) }
        // As the server wrote it: some servers compare the text.
        if date(named: "Last-Modified") != nil,
            let modified = head.fields.first(named: "Last-Modified")
        {
            fields.append(HTTPField(name: "If-Modified-Since", value: modified))
        }
        return fields
    }

    /// Returns whether a 304 refers to this response (RFC 9111 §4.3.4).
    ///
    /// A 304 with a validator refers to the response that has the same one; without a validator it can only
    /// mean this one.
    func isConfirmed(by head: HTTPResponseHead) -> Bool {
        if let new = head.entityTag, let own = entityTag {
            return Self.opaquePart(of: new) == Self.opaquePart(of: own)
        }
        if let new = head.fields.first(named: "Last-Modified"),
            let own = self.head.fields.first(named: "Last-Modified")
        {
            return new == own
        }
        return head.fields.first(named: "ETag") == nil
            && head.fields.first(named: "Last-Modified") == nil
    }

    /// Returns the response with its fields replaced by those of a 304 (§3.2).
    func freshened(
        by head: HTTPResponseHead,
        requestTime: HTTPDate,
        responseTime: HTTPDate
    ) -> StoredResponse {
        let kept = Self.namesAboutTheBody + Self.hopNames(of: head)
        let news = head.fields.filter { field in !kept.contains { field.isNamed($0) } }
        var freshened = self
        freshened.head.fields.removeAll { field in
            news.contains { field.isNamed($0.name) }
                // Caches on the way were asked again; their age must not be added to ours.
                || field.isNamed("Age")
        }
        freshened.head.fields += news
        freshened.requestTime = requestTime
        freshened.responseTime = responseTime
        return freshened
    }

    /// The fields that describe the stored body, whatever a 304 says (§3.2).
    private static let namesAboutTheBody = [
        "Content-Encoding", "Content-Length", "Content-Range", "Content-Type",
    ]

    /// Strong and weak tags are compared alike here (RFC 9110 §8.8.3.2).
    private static func opaquePart(of tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}
