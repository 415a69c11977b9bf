import COpenSSL

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
