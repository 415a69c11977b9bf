package import FerryHTTP

/// A response as a cache has it, without its body.
package struct StoredResponse: Hashable, Sendable {
    /// The status and the fields, as freshened since.
    package var head: HTTPResponseHead
    /// What a request must have in common with the one that was answered.
    package let selectingFields: SelectingFields
    /// When the request was sent that this answers, or that confirmed it last.
    package var requestTime: HTTPDate
    /// When the answer to that request came.
    package var responseTime: HTTPDate

    /// Makes a stored response of what a cache has kept.
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

    /// Whether it says who somebody is, or would be somebody with it, so that no disk is to have it.
    package var hasSecrets: Bool {
        selectingFields.haveSecrets || head.fields.first(named: "Set-Cookie") != nil
    }

    /// What the server has said about caching it.
    var control: CacheControl { CacheControl(fields: head.fields) }

    /// When the server made the response; it came then where the server does not say (RFC 9110 §6.6.1).
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
