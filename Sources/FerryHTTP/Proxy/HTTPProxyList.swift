import FerrySystem

/// The proxies that a client's requests go through; no others are used.
package struct HTTPProxyList: Hashable, Sendable {
    /// The proxy on the way to `http` servers; `nil` for none.
    package var http: HTTPProxy?
    /// The proxy on the way to `https` servers; `nil` for none.
    package var https: HTTPProxy?
    /// The hosts that are reached without a proxy, in the syntax of curl's `no_proxy`: a name includes all
    /// names below it, an address may be followed by the length of a prefix, and `*` is every host.
    package var exceptions: [String]

    /// Makes a list from its parts.
    package init(http: HTTPProxy? = nil, https: HTTPProxy? = nil, exceptions: [String] = []) {
        self.http = http
        self.https = https
        self.exceptions = exceptions
    }

    /// The proxies that an environment names, as curl understands it.
    ///
    /// - Parameter environment: The variables: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`. All
    ///   but the first may be in capitals, too: in a CGI program, `HTTP_PROXY` holds the request's field
    ///   `Proxy`.
    package init(environment: [String: String]) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        let all = value("all_proxy", "ALL_PROXY")
        self.init(
            http: (value("http_proxy") ?? all).map { HTTPProxy(address: $0) },
            https: (value("https_proxy", "HTTPS_PROXY") ?? all).map { HTTPProxy(address: $0) },
            exceptions: value("no_proxy", "NO_PROXY").map { [$0] } ?? []
        )
    }

    /// No proxy.
    package static let direct = HTTPProxyList()

    /// The proxies that this process's environment names now.
    package static var environment: HTTPProxyList {
        HTTPProxyList(environment: ProcessEnvironment.current)
    }

    /// The proxy on the way to a URL, unless its host is an exception.
    func proxy(for url: String) -> HTTPProxy? {
        url.prefix(6).lowercased() == "https:" ? https : http
    }

    /// The exceptions as libcurl expects them.
    var exceptionText: String {
        // libcurl recognizes `*` only on its own.
        exceptions.contains("*") ? "*" : exceptions.joined(separator: ",")
    }
}
