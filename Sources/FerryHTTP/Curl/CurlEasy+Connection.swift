import CCurl
import COpenSSL
import FerrySystem
import Glibc

extension CurlEasy {
    /// The result of sending or receiving bytes.
    enum Transfer {
        case bytes(Int)
        case wouldBlock
        /// The other end has finished sending.
        case ended
        case failure(HTTPError)
    }

    /// Configures the handle to connect to a request's host, through a proxy if there is one, and to do
    /// nothing else.
    ///
    /// - Parameters:
    ///   - request: The request whose host to connect to; a proxy receives the fields that are for one.
    ///   - configuration: The authorities to trust and the proxy to use.
    /// - Throws: ``HTTPError`` if an option cannot be set.
    func connect(
        for request: HTTPRequest,
        _ configuration: HTTPClient.Configuration
    ) throws(HTTPError) {
        isForConnectionOnly = true
        try configure(for: request, configuration)
        installTunnelCallback()
        try set(CURLOPT_CONNECT_ONLY, 1)
        // The connection waits for no other.
        allow(request.connectTimeout ?? configuration.connectTimeout)
        // RFC 6455 §4.1: a proxy is asked for a tunnel even without TLS.
        try set(CURLOPT_HTTPPROXYTUNNEL, 1)
        try set(CURLOPT_TCP_NODELAY, 1)
    }

    /// The error for a proxy's refusal of a tunnel, if the handle is for a connection only.
    var tunnelRefusal: HTTPError? {
        let status = information(CURLINFO_HTTP_CONNECTCODE)
        guard isForConnectionOnly, status != 0, status / 100 != 2 else { return nil }
        let message = "The proxy refuses a tunnel, with the status \(status)"
        return HTTPError(code: .cannotConnectToHost, message: message)
    }

    /// The descriptor of the connection, which belongs to libcurl.
    var activeSocket: Int32? {
        var socket = curl_socket_t(-1)
        guard CCurl_easy_getinfo_socket(handle, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK,
            socket >= 0
        else { return nil }
        return socket
    }

    /// Reads bytes that have arrived.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        var count = 0
        let code = curl_easy_recv(handle, buffer.baseAddress, buffer.count, &count)
        guard code == CURLE_OK else { return failure(code) }
        return count > 0 ? .bytes(count) : .ended
    }

    /// Sends as much as the kernel takes.
    ///
    /// After ``Transfer/wouldBlock``, the next call must pass the same bytes at the same address, perhaps
    /// followed by more: `SSL_write(3)` requires it.
    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        var count = 0
        let code = curl_easy_send(handle, bytes.baseAddress, bytes.count, &count)
        return code == CURLE_OK ? .bytes(count) : failure(code)
    }

    private func failure(_ code: CURLcode) -> Transfer {
        code == CURLE_AGAIN ? .wouldBlock : .failure(error(code, hasHead: false))
    }
}

extension CurlEasy {
    /// Returns whether a connection has been silent since the previous response.
    ///
    /// A request is about to be sent on it. Bytes that are already there are no response to that request:
    /// they are a second response to the previous one, a late 408 (RFC 9110 §15.5.9), or the end. libcurl
    /// 7.88 checks only for the end, and would take anything else for the response.
    ///
    /// - Parameter socket: The connection's socket.
    /// - Returns: Whether nothing has arrived.
    func isSilent(_ socket: curl_socket_t) -> Bool {
        if let tlsConnection {
            // Frames name their stream, and may arrive at any time.
            if tlsConnection.speaksHTTP2 { return true }
            if SSL_has_pending(tlsConnection.pointer) == 1 { return false }
        }
        // Session tickets (RFC 8446 §4.6.1) are sent with the handshake, so they were read with the first
        // response. If a server sends some later, a new connection is used: the content of an encrypted
        // record cannot be seen without taking it from libcurl.
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) < 0
            && (errno == EAGAIN || errno == EINTR)
    }
}

extension CurlEasy {
    /// Sets the interface, the ports, the version of the Internet Protocol, and the hosts and addresses to connect to.
    func configureRoute(_ route: HTTPRoute) throws(HTTPError) {
        switch route.family {
        case .ipv4: try set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
        case .ipv6: try set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
        case nil: break
        }
        if let interface = route.interface {
            // Without a prefix, libcurl would look up a name that is no interface's.
            let isAddress = HTTPRoute.AddressFamily(ofAddress: interface) != nil
            try set(CURLOPT_INTERFACE, isAddress ? "host!\(interface)" : "if!\(interface)")
        }
        if let ports = route.localPorts {
            try set(CURLOPT_LOCALPORT, Int(ports.lowerBound))
            try set(CURLOPT_LOCALPORTRANGE, ports.count)
        }
        if let path = route.unixSocket { try set(CURLOPT_UNIX_SOCKET_PATH, path) }
        try set(CURLOPT_RESOLVE, route.hosts.map(\.line))
        try set(CURLOPT_CONNECT_TO, route.redirections.map(\.line))
    }

    /// Sets an option to a list that libcurl reads as long as the handle is configured like this.
    private func set(_ option: CURLoption, _ lines: [String]) throws(HTTPError) {
        guard !lines.isEmpty else { return }
        let list = try CurlFieldList(lines)
        routeLists.append(list)
        try check(CCurl_easy_setopt_pointer(handle, option, list.first))
    }

    /// Sets the proxy that a request goes through, and the fields that the proxy receives.
    func configureProxy(
        _ proxies: HTTPProxyList,
        _ request: HTTPRequest
    ) throws(HTTPError) {
        // An empty string, too, overrides the environment, which libcurl would use otherwise.
        guard let proxy = try proxies.proxy(for: request.url)?.url() else {
            try set(CURLOPT_PROXY, "")
            return try set(CURLOPT_NOPROXY, "")
        }
        addresses.append(proxy)
        try set(CURLOPT_PROXY, proxy)
        try set(CURLOPT_NOPROXY, proxies.exceptionText)
        if proxies.alwaysTunnels { try set(CURLOPT_HTTPPROXYTUNNEL, 1) }
        // A proxy's refusal is read from its response to CONNECT.
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 0)
        let list = try CurlFieldList(
            CurlFieldList.proxyLines(for: request, adding: proxies.fields)
        )
        proxyFieldList = list
        // Only a proxy gets these: not the server at the end of a tunnel, and not one
        // that is reached without a proxy.
        try set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        try check(CCurl_easy_setopt_pointer(handle, CURLOPT_PROXYHEADER, list.first))
    }
}
