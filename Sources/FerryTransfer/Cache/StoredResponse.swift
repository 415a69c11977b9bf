package import FerryHTTP

/// A cached response without its body.
package struct StoredResponse: Hashable, Sendable {
    /// The status and the fields, updated by validations.
    package var head: HTTPResponseHead
    /// The fields of the original request that another request must match.
    package private(set) var selectingFields: SelectingFields
    /// When the request that received this response, or last confirmed it, was sent.
    package var requestTime: HTTPDate
    /// When the response to that request arrived.
    package var responseTime: HTTPDate

    /// Makes a stored response from what a cache has kept.
    package init(
        head: HTTPResponseHead,
        selectingFields: SelectingFields,
        requestTime: HTTPDate,
        responseTime: HTTPDate
    ) {
        self.head = head
        self.selectingFields = selectingFields
        self.requestTime = requestTime
        self.responseTime = responseTime
    }

    /// Whether the response holds secrets of the client, so that it must not be stored on disk.
    package var hasSecrets: Bool {
        selectingFields.haveSecrets || head.fields.first(named: "Set-Cookie") != nil
    }

    /// The server's cache directives.
    var control: CacheControl { CacheControl(fields: head.fields) }

    /// When the server generated the response, or when it arrived if the server does not say (RFC 9110 §6.6.1).
    var date: HTTPDate { date(named: "Date") ?? responseTime }

    /// The date in a field; `nil` when it is missing or malformed.
    func date(named name: String) -> HTTPDate? {
        head.fields.first(named: name)
            .flatMap { HTTPDate($0, currentYear: responseTime.year) }
    }

    /// Its entity tag, weak ones included; `nil` when there is none or more than one.
    var entityTag: String? { head.entityTag }
}

extension HTTPResponseHead {
    /// The entity tag, of either kind; `nil` when it is missing, malformed or ambiguous.
    var entityTag: String? {
        let tags = Set(fields.values(named: "ETag").map { String($0.trimmingSpaces) })
        guard tags.count == 1, let tag = tags.first,
            Validator.isStrong(tag) || Validator.isWeak(tag)
        else { return nil }
        return tag
    }
}

extension StoredResponse {
    /// The age in seconds up to which the response is fresh (RFC 9111 §4.2.1).
    var freshnessLifetime: Int64 {
        if let maxAge = control.maxAge { return maxAge }
        if head.fields.first(named: "Expires") != nil {
            // An invalid date, such as the usual `0`, is in the past (§5.3).
            guard let expires = date(named: "Expires") else { return 0 }
            return max(0, expires.secondsSince1970 - date.secondsSince1970)
        }
        guard head.isHeuristicallyCacheable || control.isExplicitlyCacheable,
            let modified = date(named: "Last-Modified")
        else { return 0 }
        // A resource that has not changed for ten days is likely to stay so for one more: §4.2.2 suggests a
        // tenth.
        return max(0, date.secondsSince1970 - modified.secondsSince1970) / 10
    }

    /// Returns the age of the response in seconds (RFC 9111 §4.2.3).
    ///
    /// `nil` when the clock was set back since the response arrived, so that the age is unknown.
    func age(at now: HTTPDate) -> Int64? {
        let residentTime = now.secondsSince1970 - responseTime.secondsSince1970
        guard residentTime >= 0 else { return nil }
        let apparentAge = max(0, responseTime.secondsSince1970 - date.secondsSince1970)
        // A slow response may have been generated at the beginning of this delay.
        let delay = max(0, responseTime.secondsSince1970 - requestTime.secondsSince1970)
        return max(apparentAge, ageInTransit + delay) + residentTime
    }

    /// Whether a request may be answered with the response without asking the server (§4, §5.2.1).
    func isUsable(for request: TransferRequest, at now: HTTPDate) -> Bool {
        let wanted = CacheControl(fields: request.fields)
        guard !control.isNoCache, !wanted.isNoCache, !Self.hasNoCachePragma(request),
            let age = age(at: now)
        else { return false }
        // 0 requires validation, even within the second in which the response arrived.
        if let maxAge = wanted.maxAge, maxAge == 0 || age > maxAge { return false }
        let freshTime = freshnessLifetime - age
        if let minFresh = wanted.minFresh, freshTime < minFresh { return false }
        if freshTime > 0 { return true }
        guard !control.isMustRevalidate else { return false }
        return switch wanted.maxStale {
        case .any: true
        case .seconds(let seconds): -freshTime <= seconds
        case nil: false
        }
    }

    /// The age that caches on the way report; the first of several values counts (§5.1).
    private var ageInTransit: Int64 {
        let value = head.fields.first(named: "Age")?.split(separator: ",").first
        return value.flatMap { Int64(deltaSeconds: $0.trimmingSpaces) } ?? 0
    }

    /// `Pragma` is for requests that have no `Cache-Control` (§5.4).
    private static func hasNoCachePragma(_ request: TransferRequest) -> Bool {
        request.fields.first(named: "Cache-Control") == nil
            && request.fields.values(named: "Pragma").flatMap(\.listElements)
                .contains { $0.lowercased() == "no-cache" }
    }
}

extension StoredResponse {
    /// Makes the stored form of a response, or `nil` where it may not be stored (RFC 9111 §3).
    ///
    /// This is a private cache: neither `private` nor a login prevents storing.
    package init?(
        answering request: TransferRequest,
        with head: HTTPResponseHead,
        requestTime: HTTPDate,
        responseTime: HTTPDate
    ) {
        let control = CacheControl(fields: head.fields)
        guard request.method == "GET", Self.isStored(status: head.status),
            // Parts of bodies are not stored, nor is the range that one would have to be stored with.
            head.fields.first(named: "Content-Range") == nil,
            // Other requests would get it decoded: it answers this one alone.
            head.isDecoded || head.knownContentCodings == nil,
            !CacheControl(fields: request.fields).isNoStore, !control.isNoStore,
            Self.permitsStoring(head, control),
            let selectingFields = SelectingFields(head: head, requestFields: request.fields)
        else { return nil }
        var stored = head
        let hopNames = Self.hopNames(of: head)
        stored.fields.removeAll { hopNames.contains($0.name.lowercased()) }
        self.init(
            head: stored,
            selectingFields: selectingFields,
            requestTime: requestTime,
            responseTime: responseTime
        )
    }

    /// Apple's library asks its delegate only about responses with 2xx, and stores no others; RFC 9111 would
    /// also allow some redirects and errors.
    private static func isStored(status: Int) -> Bool {
        (200...299).contains(status) && status != 206
    }

    /// Whether the server or the status code permits storing.
    ///
    /// `must-understand` also permits ignoring a `no-store` beside it (§5.2.2.3); storing less is never wrong.
    private static func permitsStoring(_ head: HTTPResponseHead, _ control: CacheControl) -> Bool {
        if control.isMustUnderstand, !head.isHeuristicallyCacheable { return false }
        return head.isHeuristicallyCacheable || control.isExplicitlyCacheable
            || control.maxAge != nil || head.fields.first(named: "Expires") != nil
    }

    /// Returns the names of the fields that describe a connection or a proxy (§3.1), in lower case.
    static func hopNames(of head: HTTPResponseHead) -> Set<String> {
        let listed = head.fields.values(named: "Connection").flatMap(\.listElements)
        return Set(listed.map { $0.lowercased() }).union([
            "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
            "proxy-authorization", "proxy-connection", "te", "transfer-encoding", "upgrade",
        ])
    }
}

extension HTTPResponseHead {
    /// Whether a response with this status may be reused without the server saying so
    /// (RFC 9110 §15.1).
    var isHeuristicallyCacheable: Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }
}

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
        let kept = Self.hopNames(of: head).union(Self.namesAboutTheBody)
        let news = head.fields.filter { !kept.contains($0.name.lowercased()) }
        // Caches on the way were asked again; their age must not be added to ours.
        let replaced = Set(news.map { $0.name.lowercased() }).union(["age"])
        var freshened = self
        freshened.head.fields.removeAll { replaced.contains($0.name.lowercased()) }
        freshened.head.fields += news
        freshened.requestTime = requestTime
        freshened.responseTime = responseTime
        return freshened
    }

    /// Replaces the fields that other requests must match by those that `Vary` names now.
    ///
    /// - Parameter requestFields: The fields of the request that has confirmed the response.
    /// - Returns: Whether another request can match.
    mutating func select(for requestFields: [HTTPField]) -> Bool {
        guard let fields = SelectingFields(head: head, requestFields: requestFields) else {
            return false
        }
        selectingFields = fields
        return true
    }

    /// The fields that describe the stored body, whatever a 304 says (§3.2).
    private static let namesAboutTheBody = [
        "content-encoding", "content-length", "content-range", "content-type",
    ]

    /// Strong and weak tags are compared alike here (RFC 9110 §8.8.3.2).
    private static func opaquePart(of tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}
