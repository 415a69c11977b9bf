import CCurl
import COpenSSL

/// OpenSSL's side of a connection that belongs to libcurl.
struct TLSConnection {
    /// OpenSSL's `SSL`.
    let pointer: OpaquePointer

    /// Whether both ends have agreed on HTTP/2 (RFC 7301).
    var speaksHTTP2: Bool {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(pointer, &name, &count)
        return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }
}

extension CurlEasy {
    /// The TLS of the current connection; `nil` without TLS, and while there is no connection.
    var tlsConnection: TLSConnection? {
        var session: UnsafeMutablePointer<curl_tlssessioninfo>?
        guard CCurl_easy_getinfo_tls_session(handle, CURLINFO_TLS_SSL_PTR, &session) == CURLE_OK,
            let session = session?.pointee, session.backend == CURLSSLBACKEND_OPENSSL,
            let internals = session.internals
        else { return nil }
        return TLSConnection(pointer: OpaquePointer(internals))
    }

    /// The negotiated TLS parameters; `nil` without TLS, and while there is no connection.
    var tls: TLSParameters? {
        guard let connection = tlsConnection?.pointer,
            let cipher = SSL_get_current_cipher(connection)
        else { return nil }
        return TLSParameters(
            version: UInt16(truncatingIfNeeded: SSL_version(connection)),
            cipherSuite: SSL_CIPHER_get_protocol_id(cipher)
        )
    }
}
