package import FoundationEssentials

/// A `Set-Cookie` field, parsed as in RFC 6265 §5.2; whether it is accepted is decided elsewhere.
package struct SetCookie: Hashable, Sendable {
    package let name: String
    package let value: String
    /// The domain in lower case, without a leading dot; nil for a cookie of its host alone.
    package private(set) var domain: String?
    /// The path; nil for the default.
    package private(set) var path: String?
    /// The date of `Expires`.
    package private(set) var expires: Date?
    /// The seconds of `Max-Age`, at most a hundred years.
    package private(set) var maximumAge: Int?
    package private(set) var isSecure = false
    package private(set) var isHTTPOnly = false

    /// Reads a field's value; nil for one that is ignored.
    ///
    /// The limits to sizes, §5.6, and the rejection of control characters are from RFC 6265bis. The field is split by
    /// bytes, not characters: a semicolon with a combining accent still ends a value.
    package init?(_ field: String) {
        let separator = UInt8(ascii: ";")
        var parts = field.utf8.split(separator: separator, omittingEmptySubsequences: false)[...]
        guard !field.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }),
            let pair = parts.popFirst(), let equals = pair.firstIndex(of: UInt8(ascii: "="))
        else { return nil }
        name = pair[..<equals].withoutBlanks
        value = pair[pair.index(after: equals)...].withoutBlanks
        guard !name.isEmpty, name.utf8.count + value.utf8.count <= Self.greatestByteCount else {
            return nil
        }
        for part in parts { take(part) }
    }

    /// Returns when the cookie expires; `Max-Age` takes precedence over `Expires`; nil for a session cookie.
    package func expiryDate(at now: Date) -> Date? {
        guard let maximumAge else { return expires }
        return maximumAge <= 0 ? .distantPast : now + TimeInterval(maximumAge)
    }

    /// The minimum that RFC 6265 §6.1 requires.
    private static let greatestByteCount = 4096
    private static let greatestAttributeByteCount = 1024
    /// A hundred years, so that other programs can read the dates.
    private static let greatestAge = 100 * 365 * 86_400

    /// Takes an attribute; one that cannot be read is ignored, and an invalid path stands for the default one
    /// (RFC 6265 §5.2.4).
    private mutating func take(_ part: Substring.UTF8View) {
        let equals = UInt8(ascii: "=")
        let sides = part.split(separator: equals, maxSplits: 1, omittingEmptySubsequences: false)
        let value = sides.count > 1 ? sides[1].withoutBlanks : ""
        guard value.utf8.count <= Self.greatestAttributeByteCount else { return }
        switch sides[0].withoutBlanks.lowercased() {
        case "expires": expires = Date(cookieDate: value) ?? expires
        case "max-age": maximumAge = Self.age(value) ?? maximumAge
        case "domain": domain = Self.domain(value) ?? domain
        case "path": path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        // Includes SameSite, which Foundation's cookies cannot hold.
        default: break
        }
    }

    private static func age(_ text: String) -> Int? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        if digits.count < text.utf8.count { return 0 }
        // Only a number too large for the type is nil.
        return min(Int(text) ?? greatestAge, greatestAge)
    }

    /// Returns the domain; nil for an empty one, §5.2.3.
    private static func domain(_ text: String) -> String? {
        let hasDot = text.utf8.first == UInt8(ascii: ".")
        let name = Substring(hasDot ? text.utf8.dropFirst() : text.utf8[...])
        return name.isEmpty ? nil : name.lowercased()
    }
}

extension Substring.UTF8View {
    /// The text without leading and trailing spaces and tabs.
    fileprivate var withoutBlanks: String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let rest = drop(while: isBlank)
        guard let last = rest.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(Substring(rest[...last]))
    }
}

extension SetCookie {
    /// Whether the cookie meets the requirements of its name's prefix, RFC 6265bis §4.1.3.
    var hasHonestName: Bool {
        let name = name.lowercased()
        if name.hasPrefix("__host-") { return isSecure && domain == nil && path == "/" }
        return isSecure || !name.hasPrefix("__secure-")
    }
}
