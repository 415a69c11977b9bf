import COpenSSL

/// The hash of bytes that arrive in pieces, computed by OpenSSL.
package final class BodyHash {
    /// The hash functions for bodies.
    package enum Function: Hashable, Sendable {
        /// SHA-1, which detects damage but not tampering.
        case sha1
        /// SHA-256.
        case sha256
    }

    /// `nil` after a failure, for example if the system's policy forbids the function.
    private var context: OpaquePointer?

    /// Begins a hash.
    package init(_ function: Function) {
        context = EVP_MD_CTX_new()
        let function = function == .sha1 ? EVP_sha1() : EVP_sha256()
        if EVP_DigestInit_ex(context, function, nil) != 1 { letGo() }
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds a piece.
    package func add(_ bytes: UnsafeRawBufferPointer) {
        guard let context else { return }
        if EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) != 1 { letGo() }
    }

    /// Ends the hash.
    ///
    /// - Returns: The hash; `nil` if the system does not support the function.
    package func finish() -> [UInt8]? {
        guard let context else { return nil }
        defer { letGo() }
        var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_DigestFinal_ex(context, &hash, &count) == 1 else { return nil }
        return Array(hash.prefix(Int(count)))
    }

    private func letGo() {
        EVP_MD_CTX_free(context)
        context = nil
    }
}
