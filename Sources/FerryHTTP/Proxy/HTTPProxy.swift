import FerrySystem

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

    /// Its address as curl reads it, `[scheme://][user:password@]host[:port]`; `nil` if it cannot be used.
    package let address: String?
    /// Why its address cannot be used, in words that contain nothing of it; `nil` if it can.
    package let fault: String?

    /// Makes a proxy from its address as curl reads it; requests through a proxy with an invalid one fail.
    package init(address: String) {
        fault = ProxyAddress.fault(in: address)
        self.address = fault == nil ? address : nil
    }

    /// Makes a proxy from its parts; requests through a proxy with an invalid host fail.
    ///
    /// - Parameters:
    ///   - host: Its name or address, an IPv6 address without brackets.
    ///   - port: Its port.
    ///   - kind: The protocol of the proxy.
    package init(host: String, port: UInt16, kind: Kind = .http) {
        let scheme =
            switch kind {
            case .http: "http"
            case .socks5: "socks5h"
            }
        let address = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        let isHost = !host.isEmpty && host.utf8.allSatisfy(Self.isHostByte)
        fault = isHost ? ProxyAddress.fault(in: address) : "its host is invalid"
        self.address = fault == nil ? address : nil
    }

    /// Returns the proxy as libcurl expects it.
    ///
    /// - Throws: ``HTTPError/Code/cannotConnectToHost`` for an address that cannot be used.
    func url() throws(HTTPError) -> String {
        guard let address else {
            let message = "The proxy's address cannot be used: \(fault ?? "it is invalid")"
            throw HTTPError(code: .cannotConnectToHost, message: message)
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

/// The proxies that a client's requests go through; no others are used.
package struct HTTPProxyList: Hashable, Sendable {
    /// The proxy on the way to `http` servers; `nil` for none.
    package var http: HTTPProxy?
    /// The proxy on the way to `https` servers; `nil` for none.
    package var https: HTTPProxy?
    /// The hosts that are reached without a proxy, in the syntax of curl's `no_proxy`: a name includes all
    /// names below it, an address may be followed by the length of a prefix, and `*` is every host.
    package var exceptions: [String]
    /// Whether a proxy is asked for a tunnel to `http` servers, too; `false` by default.
    package var alwaysTunnels: Bool
    /// The fields that proxies get, and servers do not.
    package var fields: [HTTPField] = []

    /// Makes a list from its parts.
    package init(
        http: HTTPProxy? = nil,
        https: HTTPProxy? = nil,
        exceptions: [String] = [],
        alwaysTunnels: Bool = false
    ) {
        self.http = http
        self.https = https
        self.exceptions = exceptions
        self.alwaysTunnels = alwaysTunnels
    }

    /// The proxies that an environment names, as curl understands it.
    ///
    /// - Parameter environment: The variables: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`. All
    ///   but the first may be in capitals, too: in a CGI program, `HTTP_PROXY` holds the request's field
    ///   `Proxy`.
    package init(environment: [String: String]) {
        func value(_ names: String...) -> String? {
            // A variable that was read from a file of another system ends in a carriage return.
            names.lazy.compactMap { environment[$0].map(Self.trimmed) }.first { !$0.isEmpty }
        }
        let all = value("all_proxy", "ALL_PROXY")
        self.init(
            http: (value("http_proxy") ?? all).map { HTTPProxy(address: $0) },
            https: (value("https_proxy", "HTTPS_PROXY") ?? all).map { HTTPProxy(address: $0) },
            exceptions: value("no_proxy", "NO_PROXY").map { [$0] } ?? []
        )
    }

    /// Returns a text without the ASCII white space around it.
    private static func trimmed(_ text: String) -> String {
        func isShown(_ byte: UInt8) -> Bool { byte != 0x20 && !(0x09...0x0D).contains(byte) }
        guard let start = text.utf8.firstIndex(where: isShown),
            let end = text.utf8.lastIndex(where: isShown)
        else { return "" }
        return String(text[start...end])
    }

    /// No proxy.
    package static let direct = HTTPProxyList()

    /// The proxies that this process's environment names now.
    package static var environment: HTTPProxyList {
        HTTPProxyList(environment: ProcessEnvironment.current)
    }

    /// The proxy on the way to a URL, unless its host is an exception.
    func proxy(for url: String) -> HTTPProxy? {
        HTTPRequest.isSecure(url) ? https : http
    }

    /// Why one of the fields cannot be sent; `nil` if all can.
    package var fieldFault: String? { fields.lazy.compactMap(\.fault).first }

    /// The exceptions as libcurl expects them.
    var exceptionText: String {
        // libcurl recognizes `*` only on its own.
        exceptions.contains("*") ? "*" : exceptions.joined(separator: ",")
    }
}
