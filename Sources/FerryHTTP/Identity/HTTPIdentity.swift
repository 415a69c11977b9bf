/// A certificate and its key, by which a client proves who it is.
///
/// Nothing of it is shown where a request or an identity is printed.
package struct HTTPIdentity: Hashable, Sendable {
    /// How an identity is written down.
    package enum Format: Hashable, Sendable {
        /// PEM: the certificate first, then those that stand for it, and the key anywhere.
        case pem
        /// PKCS #12 (RFC 7292).
        ///
        /// OpenSSL 3 does not read the ciphers that old programs use in it.
        case pkcs12
    }

    /// How it is written down.
    package var format: Format
    /// Certificate and key.
    package var bytes: [UInt8]
    /// What the key is locked with; `nil` for none.
    package var passphrase: String?

    /// Makes an identity of its parts.
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
