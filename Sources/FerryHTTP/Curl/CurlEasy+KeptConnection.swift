import CCurl
import COpenSSL
import Glibc

extension CurlEasy {
    /// Looks whether something has arrived by a connection since the response before.
    ///
    /// A request is about to leave by it. Whatever is there already is no response to that request: a
    /// second response to the one before, a late 408 (RFC 9110 §15.5.9), or the end. libcurl 7.88 looks for
    /// the end alone, and would take anything else for the response.
    ///
    /// - Parameter socket: The connection's socket.
    /// - Returns: Whether nothing has.
    func isSilent(_ socket: curl_socket_t) -> Bool {
        if let tlsConnection {
            // Frames say which stream they are for, and may arrive at any time.
            if tlsConnection.speaksHTTP2 { return true }
            if SSL_has_pending(tlsConnection.pointer) == 1 { return false }
        }
        // Session tickets (RFC 8446 §4.6.1) are sent with the handshake, so that they were read with the first
        // response. A server that sends some later is asked by a new connection: what is in an encrypted record
        // cannot be told without taking it from libcurl.
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) < 0
            && (errno == EAGAIN || errno == EINTR)
    }

    /// Sees to it that the connection is not used again if more comes by it than the response that has begun.
    ///
    /// What libcurl has read together with a response's end it throws away. It closes the connection then where
    /// the response told its length, but neither behind chunks nor where there is no body, though what it has
    /// thrown away may have been the beginning of something whose rest is still on its way. It tells of that
    /// only in its log.
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
    // Of all versions from 7.87 on.
    guard
        line.starts(with: "Excess found".utf8) || line.starts(with: "Leftovers after chunking".utf8)
    else { return 0 }
    CCurl_easy_setopt_long(easy, CURLOPT_FORBID_REUSE, 1)
    return 0
}
