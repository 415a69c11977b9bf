/// A version of TLS.
package enum HTTPTLSVersion: Int, Hashable, Sendable, CaseIterable {
    /// TLS 1.0, which is not safe any more (RFC 8996).
    case tls10
    /// TLS 1.1, which is not safe any more (RFC 8996).
    case tls11
    /// TLS 1.2 (RFC 5246).
    case tls12
    /// TLS 1.3 (RFC 8446).
    case tls13
}

extension HTTPTLSVersion: Comparable {
    /// Whether one is older than the other.
    package static func < (older: HTTPTLSVersion, newer: HTTPTLSVersion) -> Bool {
        older.rawValue < newer.rawValue
    }
}
