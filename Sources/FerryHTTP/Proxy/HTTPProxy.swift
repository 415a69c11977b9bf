/// A proxy that requests go through.
///
/// Printing a proxy shows none of it: its address may contain a password.
package struct HTTPProxy: Hashable, Sendable {
    /// The protocol of a proxy.
    package enum Kind: Hashable, Sendable {
        /// HTTP, without TLS: the proxy opens tunnels to `https` servers, and forwards requests to `http`
        /// servers.
        case http
        /// SOCKS 5 (RFC 1928), without a password; the proxy looks up names.
        case socks5
    }

    /// Its address as curl reads it, `[scheme://][user:password@]host[:port]`; `nil` if its host is invalid.
    package let address: String?

    /// Makes a proxy from its address as curl reads it.
    package init(address: String) { self.address = address }

    /// Makes a proxy from its parts; requests through a proxy with an invalid host fail.
    ///
    /// - Parameters:
    ///   - host: Its name or address, an IPv6 address without brackets.
    ///   - port: Its port.
    ///   - kind: The protocol of the proxy.
    package init(host: String, port: UInt16, kind: Kind = .http) {
        guard !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte) else {
            address = nil
            return
        }
        let scheme =
            switch kind {
            case .http: "http"
            case .socks5: "socks5h"
            }
        address = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// Returns the proxy as libcurl expects it.
    ///
    /// - Throws: ``HTTPError/Code/cannotConnectToHost`` for a host that would be read as something else.
    func url() throws(HTTPError) -> String {
        guard let address else {
            throw HTTPError(code: .cannotConnectToHost, message: "The proxy's host is none")
        }
        return address
    }

    /// Returns whether a byte neither ends nor begins a host in a URL (RFC 3986 §3.2).
    private static func isHostByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte != 0x7F && !"/?#@[]\\".utf8.contains(byte)
    }
}

extension HTTPProxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type's name, and nothing secret.
    package var description: String { "HTTPProxy" }
    /// The type's name, and nothing secret.
    package var debugDescription: String { description }
    /// A mirror of nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
