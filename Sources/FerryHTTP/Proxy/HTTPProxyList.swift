/// The proxies of a client that does not take the environment's.
package struct HTTPProxyList: Hashable, Sendable {
    /// The proxy on the way to `http` servers; `nil` for none.
    package var http: HTTPProxy?
    /// The proxy on the way to `https` servers; `nil` for none.
    package var https: HTTPProxy?
    /// The hosts that are reached without a proxy, as `no_proxy` names them for curl: a name stands
    /// for all below it, too, an address may be followed by the length of a prefix, and `*` is
    /// every host.
    package var exceptions: [String]

    /// Makes a list of its parts.
    package init(http: HTTPProxy? = nil, https: HTTPProxy? = nil, exceptions: [String] = []) {
        self.http = http
        self.https = https
        self.exceptions = exceptions
    }

    /// The proxy on the way to a URL, unless its host is an exception.
    func proxy(for url: String) -> HTTPProxy? {
        url.prefix(6).lowercased() == "https:" ? https : http
    }

    /// The exceptions as libcurl wants them.
    var exceptionText: String {
        // libcurl knows the star by itself alone.
        exceptions.contains("*") ? "*" : exceptions.joined(separator: ",")
    }
}
