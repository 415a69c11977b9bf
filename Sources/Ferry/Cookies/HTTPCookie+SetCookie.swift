import Foundation
import FoundationNetworking

extension HTTPCookie {
    /// Makes the cookie that a response sets, if its origin may set it: RFC 6265 §5.3.
    ///
    /// Applies the two rules of RFC 6265bis §5.7 that keep an attacker on an insecure connection from setting
    /// secure cookies: `Secure`, and names that begin with `__Secure-` and `__Host-`, require a secure connection.
    ///
    /// - Parameters:
    ///   - field: The response's `Set-Cookie` field.
    ///   - origin: The origin of the response.
    ///   - now: The current time.
    /// - Returns: The cookie, which may have expired already; nil for one that is not accepted.
    static func make(_ field: SetCookie, from origin: CookieOrigin, at now: Date) -> HTTPCookie? {
        guard origin.isSecure || !field.isSecure, field.hasHonestName,
            let domain = domain(of: field, from: origin)
        else { return nil }
        let expiryDate = field.expiryDate(at: now)
        let record = CookieRecord(creationDate: now, isSecure: field.isSecure)
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: field.name,
            .value: field.value,
            .domain: domain,
            .path: field.path ?? origin.defaultPath,
            .comment: record.comment,
        ]
        properties[.expires] = expiryDate
        if expiryDate == nil { properties[.discard] = "TRUE" }
        // Foundation takes every text as true.
        if field.isSecure { properties[.secure] = "TRUE" }
        if field.isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
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

    /// Returns whether two cookies are the same, so that the later replaces the former: RFC 6265 §5.3, step 11.
    func isSameCookie(as other: HTTPCookie) -> Bool {
        name == other.name && path == other.path && bareDomain == other.bareDomain
    }

    /// Returns the domain in Foundation's form, with a dot if subdomains get the cookie, too; nil for a foreign one.
    ///
    /// Without a list of public suffixes, such as `co.uk`, only those of one label are recognized.
    private static func domain(of field: SetCookie, from origin: CookieOrigin) -> String? {
        guard let domain = field.domain else { return origin.host }
        guard origin.isIn(domain) else { return nil }
        if domain.contains("."), !origin.isAddress { return "." + domain }
        return domain == origin.host ? origin.host : nil
    }
}

extension SetCookie {
    /// Whether the cookie meets the requirements of its name's prefix, RFC 6265bis §4.1.3.
    fileprivate var hasHonestName: Bool {
        let name = name.lowercased()
        if name.hasPrefix("__host-") { return isSecure && domain == nil && path == "/" }
        return isSecure || !name.hasPrefix("__secure-")
    }
}
