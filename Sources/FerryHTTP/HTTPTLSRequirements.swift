import FoundationEssentials

/// What the TLS of a connection to a server must fulfil.
package struct HTTPTLSRequirements: Hashable, Sendable {
    /// The oldest version to use, TLS 1.2 by default.
    ///
    /// For older versions, OpenSSL has to be told to accept weak ciphers, keys and signatures as well,
    /// which it then does for all versions.
    package var minimumVersion: HTTPTLSVersion
    /// The newest version to use; `nil`, the default, for the newest available.
    package var maximumVersion: HTTPTLSVersion?
    /// The ciphers up to TLS 1.2, in OpenSSL's words (openssl-ciphers(1)); `nil`, the default, for those of the system.
    package var ciphers: String?
    /// The SHA-256 digests of public keys, one of which the server's own key must have; none by default, for any.
    package var keyDigests: [[UInt8]]

    /// Makes requirements, by default those of all connections.
    package init(
        minimumVersion: HTTPTLSVersion = .tls12,
        maximumVersion: HTTPTLSVersion? = nil,
        ciphers: String? = nil,
        keyDigests: [[UInt8]] = []
    ) {
        self.minimumVersion = minimumVersion
        self.maximumVersion = maximumVersion
        self.ciphers = ciphers
        self.keyDigests = keyDigests
    }

    /// Why they cannot be used; `nil` if they can.
    ///
    /// If the newest version is older than the oldest one, each handshake fails.
    package var fault: String? {
        if let ciphers {
            let isList = ciphers.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            guard isList, 1...4096 ~= ciphers.utf8.count else {
                return "a list of ciphers has 1 to 4096 characters of ASCII, and no spaces"
            }
        }
        guard keyDigests.count <= 100 else { return "there are at most 100 digests of keys" }
        return keyDigests.first { $0.count != 32 }
            .map { "the SHA-256 of a key has 32 bytes, not \($0.count)" }
    }

    /// The digests in libcurl's form.
    var keyDigestText: String {
        keyDigests.map { "sha256//\(Data($0).base64EncodedString())" }.joined(separator: ";")
    }
}
