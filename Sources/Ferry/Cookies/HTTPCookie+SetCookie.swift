import Foundation
import FoundationNetworking

extension HTTPCookie {
    /// The cookie that a response sets, if the one who answered may set it: RFC 6265 §5.3.
    ///
    /// Also the two rules of RFC 6265bis §5.7 by which who can change what is sent without protection cannot
    /// put a cookie among those that are protected: `Secure` takes a secure connection, and so do names
    /// that begin with `__Secure-` and `__Host-`.
    ///
    /// - Parameters:
    ///   - field: What the response says.
    ///   - origin: Who has answered.
    ///   - now: When.
    /// - Returns: The cookie, which may have ended already; nil for one that is not accepted.
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
        // To Foundation, every text means yes.
        if field.isSecure { properties[.secure] = "TRUE" }
        if field.isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        return HTTPCookie(properties: properties)
    }

    /// This cookie, made when another one was.
    func created(at date: Date) -> HTTPCookie {
        var properties = properties ?? [:]
        let record = CookieRecord(creationDate: date, isSecure: isSecure)
        properties[.comment] = record.comment
        // What Foundation tells of a cookie is not what it makes one of.
        properties[.secure] = isSecure ? "TRUE" : nil
        properties[.discard] = isSessionOnly ? "TRUE" : nil
        if isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        return HTTPCookie(properties: properties) ?? self
    }

    /// The domain without the dot that says that subdomains get the cookie, too.
    var bareDomain: String { domain.hasPrefix(".") ? String(domain.dropFirst()) : domain }

    /// Whether both are one cookie, of which the later replaces the former: RFC 6265 §5.3, step 11.
    func isSameCookie(as other: HTTPCookie) -> Bool {
        name == other.name && path == other.path && bareDomain == other.bareDomain
    }

    /// The domain as Foundation has it, with a dot where subdomains get the cookie, too; nil for a foreign
    /// one.
    ///
    /// Without a list of the domains under which strangers register theirs, such as `co.uk`, only those of one
    /// word are known as such.
    private static func domain(of field: SetCookie, from origin: CookieOrigin) -> String? {
        guard let domain = field.domain else { return origin.host }
        guard origin.isIn(domain) else { return nil }
        if domain.contains("."), !origin.isAddress { return "." + domain }
        return domain == origin.host ? origin.host : nil
    }
}

extension SetCookie {
    /// Whether the cookie is what its name promises, RFC 6265bis §4.1.3.
    fileprivate var hasHonestName: Bool {
        let name = name.lowercased()
        if name.hasPrefix("__host-") { return isSecure && domain == nil && path == "/" }
        return isSecure || !name.hasPrefix("__secure-")
    }
}
