import COpenSSL
import FerrySystem

/// The alerts with which servers end a connection: its regular end, or a verdict on the client's certificate.
@LoopActor enum TLSAlerts {
    /// Notifies the party that is kept in a TLS context.
    ///
    /// libcurl reports a verdict only as text, and in TLS 1.3 only when the response is due. It treats an end
    /// that was not announced as one that was: its reader cannot report the difference, so OpenSSL cannot
    /// tell either.
    ///
    /// - Parameter tlsContext: OpenSSL's `SSL_CTX`.
    static func install(in tlsContext: UnsafeMutableRawPointer) {
        COpenSSL_set_info_callback(tlsContext) { tls, place, value in
            guard let tls, place & SSL_CB_READ_ALERT == SSL_CB_READ_ALERT else { return }
            nonisolated(unsafe) let connection = tls
            LoopActor.assumeIsolated {
                TLSAlerts.received(value & 0xFF, by: connection)
            }
        }
    }

    private static func received(_ alert: Int32, by tls: OpaquePointer) {
        guard let context = HandshakeContext.kept(for: tls) else { return }
        if alert == SSL_AD_CLOSE_NOTIFY { context.hasAnnouncedEnd = true }
        guard let party = context.party else { return }
        // RFC 7301 §3.2.
        if alert == SSL_AD_NO_APPLICATION_PROTOCOL { party.isProtocolRefused = true }
        guard isForCertificate(alert, party) else { return }
        let reason = SSL_alert_desc_string_long(alert).map { String(cString: $0) } ?? ""
        party.serverRejectedIdentity(reason)
    }

    /// RFC 8446 §6.2.
    private static func isForCertificate(_ alert: Int32, _ party: any HandshakeParty) -> Bool {
        switch alert {
        case SSL_AD_BAD_CERTIFICATE, SSL_AD_UNSUPPORTED_CERTIFICATE, SSL_AD_CERTIFICATE_REVOKED,
            SSL_AD_CERTIFICATE_EXPIRED, SSL_AD_CERTIFICATE_UNKNOWN, SSL_AD_UNKNOWN_CA,
            SSL_AD_ACCESS_DENIED, TLS13_AD_CERTIFICATE_REQUIRED:
            true
        case SSL_AD_DECRYPT_ERROR:
            // A signature that does not match, such as that of an authority with the same name.
            party.request.identity != nil
        case SSL_AD_HANDSHAKE_FAILURE:
            // TLS 1.2 has no alert of its own for a missing certificate (RFC 5246 §7.4.6).
            party.hasGoneOnWithoutIdentity
        default:
            false
        }
    }
}
