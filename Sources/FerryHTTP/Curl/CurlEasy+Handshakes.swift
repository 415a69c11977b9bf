import CCurl
import COpenSSL
import FerrySystem

// The context of these callbacks is the easy handle's object, unretained: the owner of the multi handle keeps
// it.

extension CurlEasy {
    /// Sets up TLS as Ferry needs it, and lets ``party`` take part in the handshakes.
    func installHandshakeCallback() {
        CCurl_easy_set_ssl_context_function(handle, willSetUpTLS)
        CCurl_easy_setopt_pointer(handle, CURLOPT_SSL_CTX_DATA, context)
    }

    /// Makes libcurl report a proxy's response to CONNECT.
    func installTunnelCallback() {
        CCurl_easy_set_header_function(handle, didReceiveTunnelLine)
        CCurl_easy_setopt_pointer(handle, CURLOPT_HEADERDATA, context)
    }

    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    fileprivate func setUpTLS(_ tlsContext: UnsafeMutableRawPointer) -> CURLcode {
        guard let party else { return CURLE_SSL_CONNECT_ERROR }
        // Otherwise a body without a length would seem complete wherever the connection is cut.
        COpenSSL_fail_at_unexpected_end(tlsContext)
        do throws(HTTPError) {
            try authorities?.store().trust(in: tlsContext)
        } catch {
            return CURLE_SSL_CACERT_BADFILE
        }
        // A proxy's certificate is not the server's, about which `party` decides.
        guard COpenSSL_is_for_proxy(tlsContext) == 0 else {
            COpenSSL_require_names(tlsContext)
            return CURLE_OK
        }
        let request = party.request
        guard let context = HandshakeContext.keep(party, in: tlsContext) else {
            return CURLE_OUT_OF_MEMORY
        }
        if request.asksForTrust, !request.acceptsInvalidCertificates {
            CertificateVerification.install(in: tlsContext, context)
        } else {
            COpenSSL_require_names(tlsContext)
        }
        if request.asksForIdentity { CertificateRequests.install(in: tlsContext) }
        TLSAlerts.install(in: tlsContext)
        return CURLE_OK
    }
}

private func willSetUpTLS(
    _ easy: UnsafeMutableRawPointer?,
    _ tlsContext: UnsafeMutableRawPointer?,
    _ context: UnsafeMutableRawPointer?
) -> CURLcode {
    guard let tlsContext, let context else { return CURLE_SSL_CONNECT_ERROR }
    nonisolated(unsafe) let tls = tlsContext
    let easy = Unmanaged<CurlEasy>.fromOpaque(context)
    return LoopActor.assumeIsolated { easy.takeUnretainedValue().setUpTLS(tls) }
}

private func didReceiveTunnelLine(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    nonisolated(unsafe) let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    guard let context else { return line.count }
    let easy = Unmanaged<CurlEasy>.fromOpaque(context)
    LoopActor.assumeIsolated { easy.takeUnretainedValue().onTunnelLine?(line) }
    return line.count
}
