import FerryHTTP
import FerrySystem
package import FoundationEssentials

/// Scheme, host and port: the party that a request's secrets were meant for (RFC 6454 §4).
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// `http` or `https`.
    package let scheme: String
    /// The host's name or address in lower case.
    package let host: String
    /// The port, even if the URL leaves it to the scheme.
    package let port: Int

    /// The origin of a URL, or `nil` when the URL is not absolute, `http(s)` and with a host.
    package init?(url: String) {
        guard let place = Self.place(of: url) else { return nil }
        self = place.origin
    }

    /// The origin of a URL and its path, as it stands there and without the query; `nil` as for ``init(url:)``.
    static func place(of url: String) -> (origin: Origin, path: String)? {
        if let plain = PlainURL(url) {
            let scheme = plain.isSecure ? "https" : "http"
            return (Origin(scheme: scheme, host: plain.host, port: plain.port), plain.path)
        }
        guard let parsed = URL(string: url), let origin = Origin(parsed) else { return nil }
        return (origin, parsed.path(percentEncoded: true))
    }

    /// The origin of a parsed URL; `nil` as for ``init(url:)``.
    package init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host(percentEncoded: false)?.lowercased(),
            let encoded = url.host(percentEncoded: true),
            Self.isPossible(host, isAddress: encoded.utf8.contains(UInt8(ascii: ":")))
        else { return nil }
        self.init(scheme: scheme, host: host, port: url.port)
    }

    /// Whether a decoded text can be a host: nothing in it divides a URL into parts, or is invisible.
    ///
    /// - Parameters:
    ///   - host: The decoded text.
    ///   - isAddress: Whether it was in brackets, as an IPv6 address is, with a zone behind a percent sign (RFC 6874).
    /// - Returns: Whether it can.
    private static func isPossible(_ host: String, isAddress: Bool) -> Bool {
        !host.isEmpty
            && host.utf8.allSatisfy { byte in
                byte > 0x20 && byte != 0x7F && !dividers.contains(byte)
                    && (isAddress || byte != UInt8(ascii: ":") && byte != UInt8(ascii: "%"))
            }
    }

    private static let dividers = Set("\"#/<>?@[\\]^`{|}".utf8)

    private init(scheme: String, host: String, port: Int?) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? (scheme == "https" ? 443 : 80)
    }

    /// Host and port: `example.com:443`, `[::1]:80`.
    package var authority: String {
        let isBareIPv6 = host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[")
        return (isBareIPv6 ? "[" + host + "]:" : host + ":") + String(port)
    }

    /// The origin as a URL, with its port: `https://example.com:443`.
    package var description: String { scheme + "://" + authority }

    /// Whether an ``authority`` is this machine.
    package static func isLocal(_ authority: String) -> Bool {
        authority.hasPrefix("127.") || authority.hasPrefix("localhost:")
            || authority.hasPrefix("[::1]:")
    }
}

extension Origin {
    /// Returns why no request can be sent to a URL; `nil` if there is no reason.
    package static func fault(of url: String) -> String? {
        guard Origin(url: url) != nil else {
            return "not an http or https address: \(SecretText.masked(String(url.prefix(200))))"
        }
        do throws(HTTPError) {
            _ = try HTTPRequest.target(of: url)
        } catch {
            return "the address cannot be requested: \(error.message)"
        }
        return nil
    }
}
