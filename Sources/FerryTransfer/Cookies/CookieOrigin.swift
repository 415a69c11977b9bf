package import FoundationEssentials

/// The parts of a URL that decide about cookies.
package struct CookieOrigin: Hashable, Sendable {
    /// The host's name or address in lower case, an IPv6 address without brackets.
    package let host: String
    /// The path as it is sent, at least a slash.
    package let path: String
    /// Whether the connection is secure.
    package let isSecure: Bool

    /// Reads a URL; nil for one that is not `http` or `https`, or has no host.
    package init?(_ url: URL) {
        guard let origin = Origin(url: url.absoluteString) else { return nil }
        let path = url.path(percentEncoded: true)
        host = Self.bare(origin.host)
        self.path = path.hasPrefix("/") ? path : "/"
        isSecure = origin.scheme == "https"
    }

    /// The path of a cookie that names none, RFC 6265 §5.1.4.
    package var defaultPath: String {
        guard let last = path.lastIndex(of: "/"), last != path.startIndex else { return "/" }
        return String(path[..<last])
    }

    /// Returns whether the host is a domain or one of its subdomains, RFC 6265 §5.1.3.
    ///
    /// - Parameter domain: The domain in lower case, without a leading dot.
    /// - Returns: Whether it is.
    package func isIn(_ domain: String) -> Bool {
        host == domain || (!isAddress && Self.isDomain(host, in: domain))
    }

    /// Returns whether two hosts belong to the same party, judged by their names alone.
    ///
    /// Apple compares registrable domains. That requires a list that is not available here, so sibling hosts count
    /// as unrelated.
    package func isRelated(to other: CookieOrigin) -> Bool {
        isIn(other.host) || other.isIn(host)
    }

    /// Returns whether a domain is another one or one of its subdomains.
    package static func isDomain(_ domain: String, in other: String) -> Bool {
        !other.isEmpty && (domain == other || domain.hasSuffix("." + other))
    }

    /// Returns whether a path matches that of a cookie, RFC 6265 §5.1.4.
    package static func isPath(_ path: String, under cookiePath: String) -> Bool {
        guard path.hasPrefix(cookiePath) else { return false }
        return path.utf8.count == cookiePath.utf8.count || cookiePath.hasSuffix("/")
            || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
    }

    /// An address has no subdomains, however much its text looks like one.
    package var isAddress: Bool {
        if host.contains(":") { return true }
        return host.split(separator: ".").last.map { $0.utf8.allSatisfy(\.isDigit) } ?? false
    }

    private static func bare(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}

extension UInt8 {
    /// Whether it is the code of a decimal digit.
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
