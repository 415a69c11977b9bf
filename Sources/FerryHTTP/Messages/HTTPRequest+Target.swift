extension HTTPRequest {
    /// How a request sent to the host itself names what it wants (RFC 9112 §3.2.1 and §3.2.3).
    ///
    /// - Parameter url: An absolute URL.
    /// - Returns: The path with the query; and the host with its port, as a tunnel is asked for.
    /// - Throws: ``HTTPError/Code/badURL`` for a URL that cannot be requested.
    package static func target(
        of url: String
    ) throws(HTTPError) -> (path: String, tunnel: String) {
        try CurlURL.check(url)
        let path = try CurlURL.target(of: url).path
        return (path, try CurlURL.tunnelTarget(of: url))
    }
}
