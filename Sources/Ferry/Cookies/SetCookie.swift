import Foundation

/// A `Set-Cookie` field, taken apart as RFC 6265 §5.2 says; whether it is accepted is decided elsewhere.
struct SetCookie: Hashable, Sendable {
    let name: String
    let value: String
    /// In lower case and without a dot at its beginning; nil for a cookie of its host alone.
    private(set) var domain: String?
    /// Nil for the default.
    private(set) var path: String?
    /// What `Expires` says.
    private(set) var expires: Date?
    /// What `Max-Age` says, in seconds; no more than counts.
    private(set) var maximumAge: Int?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false

    /// Reads a field's value; nil for one that is ignored.
    ///
    /// Of RFC 6265bis are the limits to sizes, §5.6, and that control characters spoil a cookie. It is not
    /// read by characters: a semicolon with an accent is another one, but still ends a value.
    init?(_ field: String) {
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

    /// When the cookie ends, where `Max-Age` counts for more than `Expires`; nil with the session.
    func expiryDate(at now: Date) -> Date? {
        guard let maximumAge else { return expires }
        return maximumAge <= 0 ? .distantPast : now + TimeInterval(maximumAge)
    }

    /// What RFC 6265 §6.1 asks for at least.
    private static let greatestByteCount = 4096
    private static let greatestAttributeByteCount = 1024
    /// A hundred years, so that dates stay what others can read.
    private static let greatestAge = 100 * 365 * 86_400

    /// Takes an attribute; one that cannot be read is as if it were not there.
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
        // SameSite among them: Foundation's cookies have no place for it.
        default: break
        }
    }

    private static func age(_ text: String) -> Int? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        if digits.count < text.utf8.count { return 0 }
        // Only a number too large for the type is none.
        return min(Int(text) ?? greatestAge, greatestAge)
    }

    /// An empty one means nothing, §5.2.3.
    private static func domain(_ text: String) -> String? {
        let hasDot = text.utf8.first == UInt8(ascii: ".")
        let name = Substring(hasDot ? text.utf8.dropFirst() : text.utf8[...])
        return name.isEmpty ? nil : name.lowercased()
    }
}

extension Substring.UTF8View {
    /// Without spaces and tabs at its ends.
    fileprivate var withoutBlanks: String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let rest = drop(while: isBlank)
        guard let last = rest.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(Substring(rest[...last]))
    }
}
