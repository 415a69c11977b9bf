import CCurl

extension CurlEasy {
    /// Sets which versions of TLS are spoken.
    func configureTLSVersion(_ configuration: HTTPClient.Configuration) throws(HTTPError) {
        let minimum = configuration.minimumTLSVersion
        let maximum = configuration.maximumTLSVersion.map { $0.curlValue << 16 }
        try set(CURLOPT_SSLVERSION, minimum.curlValue | (maximum ?? 0))
        // The old versions sign by SHA-1, which OpenSSL 3 does not do of its own accord.
        if minimum < .tls1_2 { try set(CURLOPT_SSL_CIPHER_LIST, "DEFAULT:@SECLEVEL=0") }
    }
}

extension HTTPTLSVersion {
    /// libcurl's name for it as a minimum; as a maximum it stands 16 bits higher.
    fileprivate var curlValue: Int {
        switch self {
        case .tls1_0: CURL_SSLVERSION_TLSv1_0
        case .tls1_1: CURL_SSLVERSION_TLSv1_1
        case .tls1_2: CURL_SSLVERSION_TLSv1_2
        case .tls1_3: CURL_SSLVERSION_TLSv1_3
        }
    }
}
