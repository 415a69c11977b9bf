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
        if let plain = plain(url) { return plain }
        guard let parsed = URL(string: url), let origin = Origin(parsed) else { return nil }
        return (origin, parsed.path(percentEncoded: true))
    }

    /// The origin of a parsed URL; `nil` as for ``init(url:)``.
    package init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty
        else { return nil }
        self.init(scheme: scheme, host: host, port: url.port)
    }

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

// MARK: - Plain URLs

extension Origin {
    /// Returns the origin and the path of a URL of plain characters only, as nearly all are, in a tenth of the time.
    private static func plain(_ url: String) -> (origin: Origin, path: String)? {
        var url = url
        return url.withUTF8 { text -> (origin: Origin, path: String)? in
            let isSecure = text.starts(with: "https://".utf8)
            guard isSecure || text.starts(with: "http://".utf8) else { return nil }
            let rest = text[(isSecure ? 8 : 7)...]
            guard let end = rest.firstIndex(of: UInt8(ascii: "/")),
                rest[end...].allSatisfy(isPlainInPath)
            else { return nil }
            let authority = rest[..<end]
            let colon = authority.firstIndex(of: UInt8(ascii: ":"))
            let host = authority[..<(colon ?? end)]
            guard !host.isEmpty, host.allSatisfy(isPlainInHost) else { return nil }
            var port: Int?
            if let colon {
                port = plainPort(authority[(colon + 1)...])
                guard port != nil else { return nil }
            }
            let origin = Origin(
                scheme: isSecure ? "https" : "http",
                host: String(decoding: host, as: UTF8.self),
                port: port
            )
            let path = rest[end...].prefix { $0 != UInt8(ascii: "?") }
            return (origin, String(decoding: path, as: UTF8.self))
        }
    }

    /// Parses a port without leading zeros.
    private static func plainPort(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        guard (1...5).contains(text.count), text.first != UInt8(ascii: "0") else { return nil }
        var port = 0
        for byte in text {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
            port = port * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return port <= UInt16.max ? port : nil
    }

    private static func isPlainInHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func isPlainInPath(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "~"),
            UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "="), UInt8(ascii: "&"):
            true
        default: isPlainInHost(byte)
        }
    }
}
