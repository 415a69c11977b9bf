/// A proxy that requests go through.
package struct HTTPProxy: Hashable, Sendable {
    /// What is spoken with a proxy.
    package enum Kind: Hashable, Sendable {
        /// HTTP, without TLS: it is asked for a tunnel to an `https` server, and for what an `http`
        /// server has.
        case http
        /// SOCKS 5 (RFC 1928), without a password; it is the proxy who looks up names.
        case socks5
    }

    /// What is spoken with it.
    package var kind: Kind
    /// Its name or address, an IPv6 address without brackets.
    package var host: String
    /// Its port.
    package var port: UInt16

    /// Makes a proxy of its parts; one whose host is none fails the requests through it.
    package init(host: String, port: UInt16, kind: Kind = .http) {
        self.kind = kind
        self.host = host
        self.port = port
    }

    /// The proxy as libcurl wants it.
    ///
    /// - Throws: ``HTTPError/Code/cannotConnectToHost`` for a host that would be read as something
    ///   else.
    func url() throws(HTTPError) -> String {
        guard !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte) else {
            throw HTTPError(code: .cannotConnectToHost, message: "The proxy's host is none")
        }
        let scheme =
            switch kind {
            case .http: "http"
            case .socks5: "socks5h"
            }
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// Nothing that ends a host in a URL, or begins one (RFC 3986 §3.2).
    private static func isHostByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte != 0x7F && !"/?#@[]\\".utf8.contains(byte)
    }
}
