import CCurl
import COpenSSL

extension CurlEasy {
    /// What was agreed on for TLS; `nil` without it, and while there is no connection.
    var tls: TLSParameters? {
        var session: UnsafeMutablePointer<curl_tlssessioninfo>?
        guard CCurl_easy_getinfo_tls_session(handle, CURLINFO_TLS_SSL_PTR, &session) == CURLE_OK,
            let session = session?.pointee, session.backend == CURLSSLBACKEND_OPENSSL,
            let internals = session.internals
        else { return nil }
        let connection = OpaquePointer(internals)
        guard let cipher = SSL_get_current_cipher(connection) else { return nil }
        return TLSParameters(
            version: UInt16(truncatingIfNeeded: SSL_version(connection)),
            cipherSuite: SSL_CIPHER_get_protocol_id(cipher)
        )
    }
}
