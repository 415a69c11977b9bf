import COpenSSL

/// The hash functions that digest authentication knows (RFC 7616 §6.1), by OpenSSL.
package enum MessageDigest: Hashable, Sendable {
    /// MD5, broken for anything else, and what most servers use.
    case md5
    /// SHA-256.
    case sha256
    /// SHA-512/256, which is SHA-512 with other beginnings, cut to 256 bits.
    case sha512t256

    /// The hash of a text's UTF-8, in lower-case hexadecimal digits.
    ///
    /// - Throws: ``HTTPError/Code/other`` where the system's policy forbids the function.
    package func hexadecimal(of text: String) throws(HTTPError) -> String {
        var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let bytes = Array(text.utf8)
        guard EVP_Digest(bytes, bytes.count, &hash, &count, function, nil) == 1 else {
            throw HTTPError(code: .other, message: "OpenSSL does not do \(self)")
        }
        return hash.prefix(Int(count)).map(Self.digits).joined()
    }

    private var function: OpaquePointer? {
        switch self {
        case .md5: EVP_md5()
        case .sha256: EVP_sha256()
        case .sha512t256: EVP_sha512_256()
        }
    }

    private static func digits(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
