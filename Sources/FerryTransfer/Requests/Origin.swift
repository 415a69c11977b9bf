package import FoundationEssentials

/// Scheme, host and port: the party that a request's secrets were meant for (RFC 6454 §4).
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// `http` or `https`.
    package let scheme: String
    /// The host's name or address in lower case.
    package let host: String
    /// The port, also where the URL leaves it to the scheme.
    package let port: Int

    /// The origin of a URL, or `nil` when the URL is not absolute, `http(s)` and with a host.
    package init?(url: String) {
        guard let parsed = URL(string: url) else { return nil }
        self.init(parsed)
    }

    /// The origin of a URL that has been read already; `nil` as for ``init(url:)``.
    package init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty
        else { return nil }
        self.scheme = scheme
        self.host = host
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }

    /// The origin as a URL, with its port: `https://example.com:443`.
    package var description: String {
        let isBareIPv6 = host.contains(":") && !host.hasPrefix("[")
        return "\(scheme)://\(isBareIPv6 ? "[\(host)]" : host):\(port)"
    }
}
