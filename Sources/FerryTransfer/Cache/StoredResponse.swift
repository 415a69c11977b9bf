package import FerryHTTP

/// A cached response without its body.
package struct StoredResponse: Hashable, Sendable {
    /// The status and the fields, updated by validations.
    package var head: HTTPResponseHead
    /// The fields of the original request that another request must match.
    package let selectingFields: SelectingFields
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
