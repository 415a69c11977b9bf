import CCurl
import COpenSSL
import Glibc

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

    /// Prevents reuse of the connection if more arrives on it than the response that has begun.
    ///
    /// libcurl discards bytes that it has read after a response's end. It then closes the connection if the
    /// response stated its length, but not after chunks or without a body, though the discarded bytes may be
    /// the start of a message whose rest is still on its way. It reports this only in its log.
    func watchForExcess() {
        CCurl_easy_set_debug_function(handle, didLog)
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
    guard kind == CURLINFO_TEXT else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: count)
    // The texts of all versions since 7.87.
    guard
        line.starts(with: "Excess found".utf8) || line.starts(with: "Leftovers after chunking".utf8)
    else { return 0 }
    CCurl_easy_setopt_long(easy, CURLOPT_FORBID_REUSE, 1)
    return 0
}
