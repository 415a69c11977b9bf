package import FerryHTTP

/// How long a server wants to be left alone (RFC 9110 §10.2.3).
package struct RetryAfter: Hashable, Sendable {
    /// Seconds from the response on, 0 or more.
    package let seconds: Double

    /// Reads the field of a response; `nil` when it is missing or malformed.
    ///
    /// A date is related to the response's own `Date` where it has one, so that a wrong clock on
    /// either side does not matter.
    package init?(head: HTTPResponseHead, now: HTTPDate) {
        guard let value = head.fields.first(named: "Retry-After") else { return nil }
        if let delay = Int64(httpDigits: value) {
            seconds = Double(delay)
        } else if let date = HTTPDate(value, currentYear: now.year) {
            let sent = head.fields.first(named: "Date")
                .flatMap { HTTPDate($0, currentYear: now.year) }
            let wait = date.secondsSince1970 - (sent ?? now).secondsSince1970
            seconds = Double(max(0, wait))
        } else {
            return nil
        }
    }
}
