import FerryTransfer
import Foundation

/// What of a URL decides about cookies.
struct CookieOrigin: Hashable, Sendable {
    /// The host's name or address in lower case, an IPv6 address without brackets.
    let host: String
    /// The path as it is sent, at least a slash.
    let path: String
    /// Whether what goes there is protected.
    let isSecure: Bool

    /// Reads a URL; nil for one that is not `http` or `https`, or has no host.
    init?(_ url: URL) {
        guard let origin = Origin(url: url.absoluteString) else { return nil }
        let path = url.path(percentEncoded: true)
        host = Self.bare(origin.host)
        self.path = path.hasPrefix("/") ? path : "/"
        isSecure = origin.scheme == "https"
    }

    /// The path of a cookie that names none, RFC 6265 §5.1.4.
    var defaultPath: String {
        guard let last = path.lastIndex(of: "/"), last != path.startIndex else { return "/" }
        return String(path[..<last])
    }

    /// Whether the host is a domain or lies in it, RFC 6265 §5.1.3.
    ///
    /// - Parameter domain: In lower case, without a dot at its beginning.
    /// - Returns: Whether it does.
    func isIn(_ domain: String) -> Bool {
        host == domain || (!isAddress && Self.isDomain(host, in: domain))
    }

    /// Whether the host and another one are of one party, as far as their names alone tell.
    ///
    /// Apple compares the domains that can be registered. To know those takes a list that is not at hand, so
    /// that two hosts that lie beside each other count as strangers.
    func isRelated(to other: CookieOrigin) -> Bool {
        isIn(other.host) || other.isIn(host)
    }

    /// Whether a domain is another one or lies in it.
    static func isDomain(_ domain: String, in other: String) -> Bool {
        !other.isEmpty && (domain == other || domain.hasSuffix("." + other))
    }

    /// Whether a path lies under that of a cookie, RFC 6265 §5.1.4.
    static func isPath(_ path: String, under cookiePath: String) -> Bool {
        guard path.hasPrefix(cookiePath) else { return false }
        return path.utf8.count == cookiePath.utf8.count || cookiePath.hasSuffix("/")
            || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
    }

    /// An address has no subdomains, however much its text looks like one.
    var isAddress: Bool {
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
