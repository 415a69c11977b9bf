import COpenSSL

/// The hash functions that HTTP knows (RFC 7616 §6.1, RFC 9530 §5), by OpenSSL.
package enum MessageDigest: Hashable, Sendable {
    /// MD5, broken, and what most servers use for passwords.
    case md5
    /// SHA-1, broken as well.
    case sha1
    /// SHA-256.
    case sha256
    /// SHA-512.
    case sha512
    /// SHA-512/256, which is SHA-512 with other beginnings, cut to 256 bits.
    case sha512t256

    /// The hash of a text's UTF-8, in lower-case hexadecimal digits.
    ///
    /// - Throws: ``HTTPError/Code/other`` where the system's policy forbids the function.
    package func hexadecimal(of text: String) throws(HTTPError) -> String {
        try value(of: text).map(Self.digits).joined()
    }

    /// The hash of a text's UTF-8.
    ///
    /// - Throws: ``HTTPError/Code/other`` where the system's policy forbids the function.
    func value(of text: String) throws(HTTPError) -> [UInt8] {
        var computation = try MessageDigestComputation(self)
        let bytes = Array(text.utf8)
        bytes.withUnsafeBytes { computation.update($0) }
        return try computation.finish()
    }

    var function: OpaquePointer? {
        switch self {
        case .md5: EVP_md5()
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        case .sha512: EVP_sha512()
        case .sha512t256: EVP_sha512_256()
        }
    }

    private static func digits(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
