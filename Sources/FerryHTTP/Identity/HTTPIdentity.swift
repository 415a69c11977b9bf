/// A certificate and its key, which prove a client's identity.
///
/// Printing a request or an identity shows none of it.
package struct HTTPIdentity: Hashable, Sendable {
    /// The encoding of an identity.
    package enum Format: Hashable, Sendable {
        /// PEM: the certificate first, then its issuers' certificates, and the key anywhere.
        case pem
        /// PKCS #12 (RFC 7292).
        ///
        /// OpenSSL 3 does not read the ciphers that old programs use in it.
        case pkcs12
    }

    /// The encoding of ``bytes``.
    package var format: Format
    /// The certificate and the key.
    package var bytes: [UInt8]
    /// The passphrase of the key; `nil` for none.
    package var passphrase: String?

    /// Makes an identity from its parts.
    package init(_ bytes: [UInt8], format: Format, passphrase: String? = nil) {
        self.format = format
        self.bytes = bytes
        self.passphrase = passphrase
    }
}

extension HTTPIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type's name, and nothing secret.
    package var description: String { "HTTPIdentity" }
    /// The type's name, and nothing secret.
    package var debugDescription: String { description }
    /// A mirror of nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
