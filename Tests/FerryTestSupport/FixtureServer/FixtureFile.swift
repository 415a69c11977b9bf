/// A resource as an ordinary web server would have it, with validators and ranges.
package struct FixtureFile: Sendable {
    /// How a server treats a `Range` field.
    package enum Ranges: Sendable, Hashable {
        /// As RFC 9110 §14 says, `If-Range` included.
        case honoured
        /// Always the whole file with 200, and no `Accept-Ranges`.
        case ignored
        /// 206 with the right bytes but with this value of `Content-Range`; `nil` for none at all.
        case misreported(contentRange: String?)
    }

    /// The bytes.
    package var content: FixtureContent
    /// The `ETag`, with its quotes; `nil` sends none.
    package var entityTag: String?
    /// The `Last-Modified` date; `nil` sends none.
    package var lastModified: String?
    /// The `Date` of every answer; `nil` sends none.
    package var date: String?
    /// The `Content-Type`.
    package var contentType: String
    /// How ranges are treated.
    package var ranges: Ranges
    /// Fields to send beside.
    package var fields: [(name: String, value: String)]

    /// Makes a file; by default with both validators, long unmodified, and with ranges.
    package init(
        _ content: FixtureContent,
        entityTag: String? = "\"v1\"",
        lastModified: String? = "Mon, 02 Nov 2026 08:00:00 GMT",
        date: String? = "Fri, 20 Nov 2026 08:00:00 GMT",
        contentType: String = "application/octet-stream",
        ranges: Ranges = .honoured,
        fields: [(name: String, value: String)] = []
    ) {
        self.content = content
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.date = date
        self.contentType = contentType
        self.ranges = ranges
        self.fields = fields
    }

    /// What the file is served as.
    package func response(to request: FixtureRequest) -> FixtureResponse {
        var response = FixtureResponse(status: 200, content: content)
        response.fields = validatorFields + fields
        guard ranges != .ignored else { return response }
        response.fields.append(("Accept-Ranges", "bytes"))
        guard let range = request.range, matches(request["If-Range"]) else { return response }
        guard let wanted = Self.parse(range, byteCount: content.byteCount) else { return response }
        guard !wanted.isEmpty else {
            response.status = 416
            response.fields.append(("Content-Range", "bytes */\(content.byteCount)"))
            response.content = .empty
            response.part = 0..<0
            return response
        }
        response.status = 206
        response.part = wanted
        let truth = "bytes \(wanted.lowerBound)-\(wanted.upperBound - 1)/\(content.byteCount)"
        switch ranges {
        case .honoured, .ignored: response.fields.append(("Content-Range", truth))
        case .misreported(let lie?): response.fields.append(("Content-Range", lie))
        case .misreported(nil): break
        }
        return response
    }

    private var validatorFields: [(name: String, value: String)] {
        var fields = [(name: "Content-Type", value: contentType)]
        if let date { fields.append(("Date", date)) }
        if let entityTag { fields.append(("ETag", entityTag)) }
        if let lastModified { fields.append(("Last-Modified", lastModified)) }
        return fields
    }

    /// RFC 9110 §13.1.5: the strong comparison, and an exact match of dates.
    private func matches(_ condition: String?) -> Bool {
        guard let condition else { return true }
        return condition == lastModified
            || (condition == entityTag && !condition.hasPrefix("W/"))
    }

    /// The part that a `Range` field asks for: `nil` for one to be ignored, empty for one that
    /// cannot be satisfied.
    private static func parse(_ value: String, byteCount: Int64) -> Range<Int64>? {
        guard value.hasPrefix("bytes="), !value.contains(",") else { return nil }
        let parts = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        switch (Int64(parts[0]), Int64(parts[1])) {
        case (let first?, let last?) where first <= last && first < byteCount:
            return first..<min(last + 1, byteCount)
        case (let first?, nil) where first < byteCount:
            return first..<byteCount
        case (nil, let suffix?) where suffix > 0:
            return max(0, byteCount - suffix)..<byteCount
        case (.some, _), (nil, .some):
            return 0..<0
        case (nil, nil):
            return nil
        }
    }
}
