import CCurl

extension CurlEasy {
    /// Sets which proxy a request goes through, and what that one is told.
    func configureProxy(
        _ proxies: HTTPProxyList,
        _ request: HTTPRequest
    ) throws(HTTPError) {
        // No text, too, is one in place of the environment's, which libcurl would look at otherwise.
        try set(CURLOPT_PROXY, proxies.proxy(for: request.url)?.url() ?? "")
        try set(CURLOPT_NOPROXY, proxies.exceptionText)
        // A refusal is looked for in what a proxy says about its tunnel.
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 0)
        let list = try CurlFieldList(CurlFieldList.proxyLines(for: request))
        proxyFieldList = list
        // Only a proxy gets these: not the server at the end of a tunnel, and not one
        // that is reached without a proxy.
        try set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        try check(CCurl_easy_setopt_pointer(handle, CURLOPT_PROXYHEADER, list.first))
    }
}
