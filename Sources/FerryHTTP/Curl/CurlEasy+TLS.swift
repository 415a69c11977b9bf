import CCurl
import COpenSSL

extension CurlEasy {
    /// Sets the TLS versions, the ciphers and the keys of servers to use.
    func configureTLS(_ tls: HTTPTLSRequirements) throws(HTTPError) {
        let maximum = tls.maximumVersion?.curlValue ?? 0
        try set(CURLOPT_SSLVERSION, tls.minimumVersion.curlValue | maximum << 16)
        if let ciphers = tls.ciphers {
            try set(CURLOPT_SSL_CIPHER_LIST, ciphers)
        } else if tls.minimumVersion < .tls12 {
            // The old versions sign with SHA-1, which OpenSSL 3 does not allow by default.
            try set(CURLOPT_SSL_CIPHER_LIST, "DEFAULT:@SECLEVEL=0")
        }
        guard !tls.keyDigests.isEmpty else { return }
        try set(CURLOPT_PINNEDPUBLICKEY, tls.keyDigestText)
    }

    /// Sets the authorities to trust, for servers and for a proxy reached over TLS.
    ///
    /// libcurl has both a file and a directory of the system's. If the configuration names others, neither is
    /// used.
    func configureAuthorities(_ configuration: HTTPClient.Configuration) throws(HTTPError) {
        let authorities = configuration.certificateAuthorities
        let file = configuration.certificateAuthorityFile
        let directory = configuration.certificateAuthorityDirectory
        guard authorities != nil || file != nil || directory != nil else { return }
        for option in [CURLOPT_CAINFO, CURLOPT_PROXY_CAINFO] {
            try set(option, orNothing: authorities == nil ? file : nil)
        }
        for option in [CURLOPT_CAPATH, CURLOPT_PROXY_CAPATH] {
            try set(option, orNothing: authorities == nil ? directory : nil)
        }
        guard let authorities else { return }
        guard !authorities.certificates.isEmpty else {
            let message = "The certificates of authorities are empty"
            throw HTTPError(code: .serverCertificateUntrusted, message: message)
        }
        self.authorities = authorities
    }

    /// Marks the TLS contexts of proxies, of which libcurl does not tell what they are for.
    ///
    /// The mark is a workaround for TLS 1.0 that is switched off (CURLSSLOPT_ALLOW_BEAST). So proxies need TLS 1.2.
    func configureProxyTLS() throws(HTTPError) {
        try set(CURLOPT_PROXY_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        try set(CURLOPT_PROXY_SSL_OPTIONS, Int(CURLSSLOPT_ALLOW_BEAST))
    }

    /// Sets the client's identity; libcurl separates the connections of different identities by these bytes.
    func set(_ identity: HTTPIdentity) throws(HTTPError) {
        // libcurl treats empty bytes as no certificate, and would continue without one.
        guard !identity.bytes.isEmpty else {
            let message = "The client's certificate is empty"
            throw HTTPError(code: .clientCertificateUnusable, message: message)
        }
        let format =
            switch identity.format {
            case .pem: "PEM"
            case .pkcs12: "P12"
            }
        try set(CURLOPT_SSLCERTTYPE, format)
        try set(CURLOPT_SSLKEYTYPE, format)
        for option in [CURLOPT_SSLCERT_BLOB, CURLOPT_SSLKEY_BLOB] {
            try set(option, identity.bytes)
        }
        // Without a passphrase, OpenSSL would ask for one on the terminal.
        try set(CURLOPT_KEYPASSWD, identity.passphrase ?? "")
    }

    private func set(_ option: CURLoption, _ bytes: [UInt8]) throws(HTTPError) {
        try check(
            bytes.withUnsafeBytes {
                CCurl_easy_setopt_blob(handle, option, $0.baseAddress, $0.count)
            }
        )
    }

    private func set(_ option: CURLoption, orNothing value: String?) throws(HTTPError) {
        try check(CCurl_easy_setopt_string(handle, option, value))
    }
}

extension HTTPTLSVersion {
    /// libcurl's value for it as a minimum; as a maximum, it is 16 bits higher.
    fileprivate var curlValue: Int {
        switch self {
        case .tls10: CURL_SSLVERSION_TLSv1_0
        case .tls11: CURL_SSLVERSION_TLSv1_1
        case .tls12: CURL_SSLVERSION_TLSv1_2
        case .tls13: CURL_SSLVERSION_TLSv1_3
        }
    }
}

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
