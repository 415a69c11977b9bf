import FerrySystem
package import FoundationEssentials

/// A cookie that its origin may set, with the rules for keeping and sending it: RFC 6265 §5.3 and §5.4.
package struct Cookie: Hashable, Sendable {
    package var name: String
    package var value: String
    /// The domain in lower case, without a leading dot.
    package var domain: String
    /// Whether the cookie is for the domain itself, and not for what is below it.
    package var isForHostOnly: Bool
    /// The path under which it is sent.
    package var path: String
    /// When it ends; nil for the end of the session.
    package var expiryDate: Date?
    /// Whether it is sent over secure connections only.
    package var isSecure: Bool
    /// Whether it is hidden from what is not HTTP.
    package var isHTTPOnly: Bool
    /// When it was first set.
    package var creationDate: Date

    /// Makes a cookie of its parts.
    package init(
        name: String,
        value: String,
        domain: String,
        isForHostOnly: Bool,
        path: String,
        expiryDate: Date?,
        isSecure: Bool,
        isHTTPOnly: Bool,
        creationDate: Date
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.isForHostOnly = isForHostOnly
        self.path = path
        self.expiryDate = expiryDate
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.creationDate = creationDate
    }

    /// Whether it can be in a field: what ends a cookie, or a field, would begin another one.
    ///
    /// Servers take up to 4 KiB (RFC 6265 §6.1).
    package var canBeSent: Bool {
        let text = name + value
        return !name.isEmpty && text.utf8.count <= 4096 && domain.utf8.count <= 255
            && path.utf8.count <= 1024
            && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != 0x3B }
    }

    /// Makes the cookie that a response sets; nil if its origin may not set it.
    ///
    /// Applies the two rules of RFC 6265bis §5.7 that keep an attacker on an insecure connection from setting
    /// secure cookies: `Secure`, and names that begin with `__Secure-` and `__Host-`, require a secure connection.
    ///
    /// - Parameters:
    ///   - field: The response's `Set-Cookie` field.
    ///   - origin: The origin of the response.
    ///   - now: The current time.
    package init?(_ field: SetCookie, from origin: CookieOrigin, at now: Date) {
        guard origin.isSecure || !field.isSecure, field.hasHonestName,
            let (domain, isForHostOnly) = Self.domain(of: field, from: origin)
        else { return nil }
        name = field.name
        value = field.value
        self.domain = domain
        self.isForHostOnly = isForHostOnly
        path = field.path ?? origin.defaultPath
        expiryDate = field.expiryDate(at: now)
        isSecure = field.isSecure
        isHTTPOnly = field.isHTTPOnly
        creationDate = now
    }

    /// Returns the domain, and whether it is only the host; nil for a foreign one.
    ///
    /// A cookie of a public suffix, such as `co.uk`, would be one of unrelated sites: RFC 6265 §5.3, step 5.
    private static func domain(
        of field: SetCookie,
        from origin: CookieOrigin
    ) -> (String, isForHostOnly: Bool)? {
        guard let domain = field.domain else { return (origin.host, true) }
        guard origin.isIn(domain) else { return nil }
        if !PublicSuffixes.contains(domain), !origin.isAddress { return (domain, false) }
        return domain == origin.host ? (origin.host, true) : nil
    }

    /// Returns whether it has expired.
    package func hasEnded(at now: Date) -> Bool { expiryDate.map { $0 <= now } ?? false }

    /// Returns whether two cookies are the same, so that the later replaces the former: RFC 6265 §5.3, step 11.
    package func isSame(as other: Cookie) -> Bool {
        name == other.name && path == other.path && domain == other.domain
    }

    /// Returns whether it is for secure connections, and another cookie from an insecure one would hide it from the
    /// server: RFC 6265bis §5.7, step 11.
    package func isHidden(by other: Cookie, at now: Date) -> Bool {
        guard name == other.name, isSecure, !hasEnded(at: now),
            CookieOrigin.isPath(other.path, under: path)
        else { return false }
        return CookieOrigin.isDomain(domain, in: other.domain)
            || CookieOrigin.isDomain(other.domain, in: domain)
    }

    /// Returns whether it is sent to a URL, RFC 6265 §5.4.
    package func isFor(_ origin: CookieOrigin, at now: Date) -> Bool {
        let isForHost = isForHostOnly ? origin.host == domain : origin.isIn(domain)
        return isForHost && CookieOrigin.isPath(origin.path, under: path) && !hasEnded(at: now)
            && (origin.isSecure || !isSecure)
    }

    /// Returns whether it is sent before another one: longer paths go first, then those that are older.
    package func goesBefore(_ other: Cookie) -> Bool {
        let (length, otherLength) = (path.utf8.count, other.path.utf8.count)
        return length == otherLength ? creationDate < other.creationDate : length > otherLength
    }
}
