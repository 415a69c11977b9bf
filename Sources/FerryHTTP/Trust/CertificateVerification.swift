import COpenSSL
import FerrySystem

/// OpenSSL's verification of a server's certificates, with somebody else having the last word.
@LoopActor enum CertificateVerification {
    /// Has an exchange decide on the server of each connection that is made by a TLS context.
    ///
    /// - Parameters:
    ///   - tlsContext: OpenSSL's `SSL_CTX`. A kept connection's outlives the exchange, to which it
    ///     refers weakly therefore.
    ///   - exchange: Who decides.
    /// - Returns: Whether it can.
    static func install(
        in tlsContext: UnsafeMutableRawPointer,
        for exchange: HTTPExchange
    ) -> Bool {
        let context = Unmanaged.passRetained(Context(exchange)).toOpaque()
        guard COpenSSL_keep(tlsContext, place, context) == 1 else {
            Unmanaged<Context>.fromOpaque(context).release()
            return false
        }
        COpenSSL_set_verify_callback(tlsContext, verifyCertificates, context)
        return true
    }

    /// What the callback finds its exchange by.
    // @unchecked because the reference changes by itself; it is read on the loop alone.
    final class Context: @unchecked Sendable {
        weak var exchange: HTTPExchange?

        init(_ exchange: HTTPExchange) { self.exchange = exchange }
    }

    private static let place = COpenSSL_make_place { _, kept, _, _, _, _ in
        if let kept { Unmanaged<Context>.fromOpaque(kept).release() }
    }

    fileprivate static func verify(_ store: OpaquePointer, for exchange: HTTPExchange?) -> Bool {
        X509_verify_cert(store)
        guard let exchange else { return X509_STORE_CTX_get_error(store) == X509_V_OK }
        let trust = HTTPServerTrust(
            host: exchange.host,
            certificates: certificates(store),
            verdict: verdict(store, host: exchange.host)
        )
        let isTrusted = exchange.trusts(trust)
        // libcurl looks at this, too.
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
                return .untrusted("The server has sent no certificate")
            }
            let isForHost =
                X509_check_ip_asc(own, host, 0) == 1 || X509_check_host(own, host, 0, 0, nil) == 1
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
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(certificate, &bytes)
        guard count > 0, let bytes else { return nil }
        defer { CRYPTO_free(bytes, #file, #line) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }
}

private func verifyCertificates(
    _ store: OpaquePointer?,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let store, let context else { return 0 }
    nonisolated(unsafe) let verified = store
    let exchange = Unmanaged<CertificateVerification.Context>.fromOpaque(context)
    return LoopActor.assumeIsolated {
        let exchange = exchange.takeUnretainedValue().exchange
        return CertificateVerification.verify(verified, for: exchange) ? 1 : 0
    }
}
