import CCurl

extension CurlEasy {
    /// Sets the proxy that a request goes through, and the fields that the proxy receives.
    func configureProxy(
        _ proxies: HTTPProxyList,
        _ request: HTTPRequest
    ) throws(HTTPError) {
        // An empty string, too, overrides the environment, which libcurl would use otherwise.
        try set(CURLOPT_PROXY, proxies.proxy(for: request.url)?.url() ?? "")
        try set(CURLOPT_NOPROXY, proxies.exceptionText)
        // A proxy's refusal is read from its response to CONNECT.
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 0)
        let list = try CurlFieldList(CurlFieldList.proxyLines(for: request))
        proxyFieldList = list
        // Only a proxy gets these: not the server at the end of a tunnel, and not one
        // that is reached without a proxy.
        try set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        try check(CCurl_easy_setopt_pointer(handle, CURLOPT_PROXYHEADER, list.first))
    }
}
