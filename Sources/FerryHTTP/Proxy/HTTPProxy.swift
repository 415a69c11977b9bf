/// A proxy that requests go through.
///
/// Nothing of it is shown where it is printed: its address may have a password.
package struct HTTPProxy: Hashable, Sendable {
    /// What is spoken with a proxy.
    package enum Kind: Hashable, Sendable {
        /// HTTP, without TLS: it is asked for a tunnel to an `https` server, and for what an `http`
        /// server has.
        case http
        /// SOCKS 5 (RFC 1928), without a password; it is the proxy who looks up names.
        case socks5
    }

    /// Its address as curl reads it, `[scheme://][user:password@]host[:port]`; `nil` where there is none.
    package let address: String?

    /// Makes a proxy of its address as curl reads it.
    package init(address: String) { self.address = address }

    /// Makes a proxy of its parts; one whose host is none fails the requests through it.
    ///
    /// - Parameters:
    ///   - host: Its name or address, an IPv6 address without brackets.
    ///   - port: Its port.
    ///   - kind: What is spoken with it.
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

    /// The proxy as libcurl wants it.
    ///
    /// - Throws: ``HTTPError/Code/cannotConnectToHost`` for a host that would be read as something
    ///   else.
    func url() throws(HTTPError) -> String {
        guard let address else {
            throw HTTPError(code: .cannotConnectToHost, message: "The proxy's host is none")
        }
        return address
    }

    /// Nothing that ends a host in a URL, or begins one (RFC 3986 §3.2).
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
