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

    /// Reads what libcurl reports only in its log.
    ///
    /// - libcurl discards bytes that it has read after a response's end. It then closes the connection if the
    ///   response stated its length, but not after chunks or without a body, though the discarded bytes may be
    ///   the start of a message whose rest is still on its way. This prevents reuse of the connection.
    /// - libcurl sends a request again that an HTTP/2 server has not processed, because it has refused the stream or
    ///   wants HTTP/1.1 (RFC 9113 §7, §8.7), and also one whose kept connection has just ended.
    func followLog() {
        guard let exchange else { return }
        CCurl_easy_set_debug_function(handle, didLog)
        let context = Unmanaged.passUnretained(exchange).toOpaque()
        CCurl_easy_setopt_pointer(handle, CURLOPT_DEBUGDATA, context)
        CCurl_easy_setopt_long(handle, CURLOPT_VERBOSE, 1)
    }
}

private func didLog(
    _ easy: UnsafeMutableRawPointer,
    _ kind: curl_infotype,
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard kind == CURLINFO_TEXT, let context else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: count)
    func says(_ texts: String...) -> Bool { texts.contains { line.starts(with: $0.utf8) } }
    // The texts of all versions since 7.87.
    if says("Excess found", "Leftovers after chunking") {
        CCurl_easy_setopt_long(easy, CURLOPT_FORBID_REUSE, 1)
    } else if says("REFUSED_STREAM, retrying", "Downgrades to HTTP/1.1") {
        let exchange = Unmanaged<HTTPExchange>.fromOpaque(context)
        LoopActor.assumeIsolated { exchange.takeUnretainedValue().wasRefused() }
    }
    return 0
}

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
