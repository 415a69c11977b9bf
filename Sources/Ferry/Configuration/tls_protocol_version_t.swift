// The names are Apple's:
// swift-format-ignore: TypeNamesShouldBeCapitalized, AlwaysUseLowerCamelCase
/// A version of TLS, as in Apple's Security framework.
public enum tls_protocol_version_t: UInt16, Hashable, Sendable {
    /// TLS 1.0, which is no longer safe.
    case TLSv10 = 0x0301
    /// TLS 1.1, which is no longer safe.
    case TLSv11 = 0x0302
    /// TLS 1.2.
    case TLSv12 = 0x0303
    /// TLS 1.3.
    case TLSv13 = 0x0304
    /// DTLS 1.0.
    case DTLSv10 = 0xfeff
    /// DTLS 1.2.
    case DTLSv12 = 0xfefd
}
