package import FerryTransfer
import Foundation
package import FoundationNetworking

extension HTTPCookie {
    /// Makes the cookie that a response sets, if its origin may set it: RFC 6265 §5.3.
    ///
    /// - Parameters:
    ///   - field: The response's `Set-Cookie` field.
    ///   - origin: The origin of the response.
    ///   - now: The current time.
    /// - Returns: The cookie, which may have expired already; nil for one that is not accepted.
    static func make(_ field: SetCookie, from origin: CookieOrigin, at now: Date) -> HTTPCookie? {
        Cookie(field, from: origin, at: now).flatMap { make($0) }
    }

    /// Makes a cookie in Foundation's form, with a dot before a domain whose subdomains get the cookie, too.
    package static func make(_ cookie: Cookie) -> HTTPCookie? {
        let record = CookieRecord(creationDate: cookie.creationDate, isSecure: cookie.isSecure)
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: cookie.name,
            .value: cookie.value,
            .domain: cookie.isForHostOnly ? cookie.domain : "." + cookie.domain,
            .path: cookie.path,
            .comment: record.comment,
        ]
        properties[.expires] = cookie.expiryDate
        if cookie.expiryDate == nil { properties[.discard] = "TRUE" }
        // Foundation takes every text as true.
        if cookie.isSecure { properties[.secure] = "TRUE" }
        if cookie.isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        return HTTPCookie(properties: properties)
    }

    /// Returns this cookie with another creation date.
    func created(at date: Date) -> HTTPCookie {
        var properties = properties ?? [:]
        let record = CookieRecord(creationDate: date, isSecure: isSecure)
        properties[.comment] = record.comment
        // The properties that Foundation returns are not those that it makes a cookie from.
        properties[.secure] = isSecure ? "TRUE" : nil
        properties[.discard] = isSessionOnly ? "TRUE" : nil
        if isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        return HTTPCookie(properties: properties) ?? self
    }

    /// The domain without the dot that says that subdomains get the cookie, too.
    var bareDomain: String { domain.hasPrefix(".") ? String(domain.dropFirst()) : domain }

    /// The cookie as the rules of RFC 6265 see it.
    var plain: Cookie {
        let record = CookieRecord(self)
        return Cookie(
            name: name,
            value: value,
            domain: bareDomain,
            isForHostOnly: !domain.hasPrefix("."),
            path: path,
            expiryDate: expiresDate,
            isSecure: record.isSecure,
            isHTTPOnly: isHTTPOnly,
            creationDate: record.creationDate
        )
    }
}
