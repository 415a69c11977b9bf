import COpenSSL

/// The hash functions that HTTP uses (RFC 7616 §6.1, RFC 9530 §5), computed by OpenSSL.
package enum MessageDigest: Hashable, Sendable {
    /// MD5, which is broken, but which most servers use for passwords.
    case md5
    /// SHA-1, which is broken as well.
    case sha1
    /// SHA-256.
    case sha256
    /// SHA-512.
    case sha512
    /// SHA-512/256: SHA-512 with other initial values, truncated to 256 bits.
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

/// A hash that is computed from bytes in several parts.
package struct MessageDigestComputation: ~Copyable {
    private let context: OpaquePointer
    private let function: MessageDigest
    private var isSound = true

    /// Begins a hash without bytes.
    ///
    /// - Throws: ``HTTPError/Code/other`` where the system's policy forbids the function.
    package init(_ function: MessageDigest) throws(HTTPError) {
        context = try Self.context(for: function)
        self.function = function
    }

    private static func context(for function: MessageDigest) throws(HTTPError) -> OpaquePointer {
        guard let context = EVP_MD_CTX_new() else {
            throw HTTPError(code: .outOfMemory, message: "no memory for a hash")
        }
        guard EVP_DigestInit_ex(context, function.function, nil) == 1 else {
            EVP_MD_CTX_free(context)
            throw refusal(of: function)
        }
        return context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Appends bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        isSound = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 && isSound
    }

    /// Returns the hash of all bytes.
    ///
    /// - Throws: ``HTTPError/Code/other`` if OpenSSL has failed.
    package consuming func finish() throws(HTTPError) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard isSound, EVP_DigestFinal_ex(context, &hash, &count) == 1 else {
            throw Self.refusal(of: function)
        }
        return Array(hash.prefix(Int(count)))
    }

    private static func refusal(of function: MessageDigest) -> HTTPError {
        HTTPError(code: .other, message: "OpenSSL does not do \(function)")
    }
}
