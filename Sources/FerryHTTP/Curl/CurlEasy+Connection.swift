import CCurl
import FerrySystem

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
