import CCurl

extension CurlEasy {
    /// Sets which versions of TLS are spoken.
    func configureTLSVersion(_ configuration: HTTPClient.Configuration) throws(HTTPError) {
        let minimum = configuration.minimumTLSVersion
        let maximum = configuration.maximumTLSVersion.map { $0.curlValue << 16 }
        try set(CURLOPT_SSLVERSION, minimum.curlValue | (maximum ?? 0))
        // The old versions sign by SHA-1, which OpenSSL 3 does not do of its own accord.
        if minimum < .tls12 { try set(CURLOPT_SSL_CIPHER_LIST, "DEFAULT:@SECLEVEL=0") }
    }

    /// Sets who the client is; libcurl keeps connections of several identities apart by these bytes.
    func set(_ identity: HTTPIdentity) throws(HTTPError) {
        // libcurl takes no bytes for no certificate, and would go on without.
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
            try check(
                identity.bytes.withUnsafeBytes {
                    CCurl_easy_setopt_blob(handle, option, $0.baseAddress, $0.count)
                }
            )
        }
        // Without any, OpenSSL would ask for one on the terminal.
        try set(CURLOPT_KEYPASSWD, identity.passphrase ?? "")
    }
}

extension HTTPTLSVersion {
    /// libcurl's name for it as a minimum; as a maximum it stands 16 bits higher.
    fileprivate var curlValue: Int {
        switch self {
        case .tls10: CURL_SSLVERSION_TLSv1_0
        case .tls11: CURL_SSLVERSION_TLSv1_1
        case .tls12: CURL_SSLVERSION_TLSv1_2
        case .tls13: CURL_SSLVERSION_TLSv1_3
        }
    }
}
