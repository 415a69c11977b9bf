import COpenSSL
import FerrySystem

/// OpenSSL's verification of a server's certificates, in which another party has the last word.
@LoopActor enum CertificateVerification {
    /// Lets the party that is kept in a TLS context decide on the server of each of its connections.
    ///
    /// - Parameters:
    ///   - tlsContext: OpenSSL's `SSL_CTX`.
    ///   - context: The ``HandshakeContext`` that is kept in it.
    static func install(
        in tlsContext: UnsafeMutableRawPointer,
        _ context: UnsafeMutableRawPointer
    ) {
        COpenSSL_set_verify_callback(tlsContext, verifyCertificates, context)
    }

    fileprivate static func verify(_ store: OpaquePointer, for party: (any HandshakeParty)?) -> Bool
    {
        X509_verify_cert(store)
        guard let party else { return X509_STORE_CTX_get_error(store) == X509_V_OK }
        let trust = HTTPServerTrust(
            host: party.host,
            certificates: certificates(store),
            verdict: verdict(store, host: party.host)
        )
        let isTrusted = party.trusts(trust)
        // libcurl checks this, too.
        X509_STORE_CTX_set_error(
            store,
            isTrusted ? X509_V_OK : max(X509_STORE_CTX_get_error(store), 1)
        )
        return isTrusted
    }

    private static func verdict(_ store: OpaquePointer, host: String) -> HTTPServerTrust.Verdict {
        let code = X509_STORE_CTX_get_error(store)
        switch code {
        case X509_V_OK:
            guard COpenSSL_sent_count(store) > 0, let own = COpenSSL_sent(store, 0) else {
                return .untrusted("the server has sent none")
            }
            // The subject's common name does not count (RFC 9525 §2), as on Apple's systems.
            let flags = UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
            let isForHost =
                X509_check_ip_asc(own, host, flags) == 1
                || X509_check_host(own, host, 0, flags, nil) == 1
            return isForHost ? .trusted : .forAnotherHost
        case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID:
            return .badDate(text(code))
        default:
            return .untrusted(text(code))
        }
    }

    private static func text(_ code: Int32) -> String {
        String(cString: X509_verify_cert_error_string(Int(code)))
    }

    private static func certificates(_ store: OpaquePointer) -> [[UInt8]] {
        let count = COpenSSL_chain_count(store)
        let isVerified = X509_STORE_CTX_get_error(store) == X509_V_OK && count > 0
        return isVerified
            ? (0..<count).compactMap { COpenSSL_chain(store, $0).flatMap(encoded) }
            : (0..<COpenSSL_sent_count(store)).compactMap {
                COpenSSL_sent(store, $0).flatMap(encoded)
            }
    }

    private static func encoded(_ certificate: OpaquePointer) -> [UInt8]? {
        DERBytes.encoded { i2d_X509(certificate, $0) }
    }
}

private func verifyCertificates(
    _ store: OpaquePointer?,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let store, let context else { return 0 }
    nonisolated(unsafe) let verified = store
    let kept = Unmanaged<HandshakeContext>.fromOpaque(context)
    return LoopActor.assumeIsolated {
        let party = kept.takeUnretainedValue().party
        return CertificateVerification.verify(verified, for: party) ? 1 : 0
    }
}

/// OpenSSL's binary encoding.
enum DERBytes {
    /// Returns the bytes that one of OpenSSL's functions named `i2d_…` makes.
    static func encoded(
        _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32
    ) -> [UInt8]? {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = encode(&bytes)
        guard count > 0, let bytes else { return nil }
        defer { CRYPTO_free(bytes, #file, #line) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }
}
