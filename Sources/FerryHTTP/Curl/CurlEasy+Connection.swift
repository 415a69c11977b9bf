import CCurl
import FerrySystem

extension CurlEasy {
    /// What came of an attempt to move bytes.
    enum Transfer {
        case bytes(Int)
        case wouldBlock
        /// The other end sends no more.
        case ended
        case failure(HTTPError)
    }

    /// Is to make a connection to a request's host, through a proxy where there is one, and nothing
    /// else.
    ///
    /// - Parameters:
    ///   - request: Whose host to connect to, with the fields of which a proxy gets those that are for one.
    ///   - configuration: Whom to trust, and which proxy to take.
    /// - Throws: ``HTTPError`` for what cannot be set.
    func connect(
        for request: HTTPRequest,
        _ configuration: HTTPClient.Configuration
    ) throws(HTTPError) {
        isForConnectionOnly = true
        try configure(for: request, configuration)
        installTunnelCallback()
        try set(CURLOPT_CONNECT_ONLY, 1)
        // RFC 6455 §4.1: a proxy is asked for a tunnel, without TLS too.
        try set(CURLOPT_HTTPPROXYTUNNEL, 1)
        try set(CURLOPT_TCP_NODELAY, 1)
    }

    /// What a proxy's refusal makes of a request for nothing but a connection.
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

    /// Reads what has arrived.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        var count = 0
        let code = curl_easy_recv(handle, buffer.baseAddress, buffer.count, &count)
        guard code == CURLE_OK else { return failure(code) }
        return count > 0 ? .bytes(count) : .ended
    }

    /// Sends as much as the kernel takes.
    ///
    /// After ``Transfer/wouldBlock`` the same bytes must come next, at the same address and perhaps
    /// with more behind them: `SSL_write(3)` insists.
    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        var count = 0
        let code = curl_easy_send(handle, bytes.baseAddress, bytes.count, &count)
        return code == CURLE_OK ? .bytes(count) : failure(code)
    }

    private func failure(_ code: CURLcode) -> Transfer {
        code == CURLE_AGAIN ? .wouldBlock : .failure(error(code, hasHead: false))
    }
}
