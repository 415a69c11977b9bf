import COpenSSL

/// What OpenSSL writes down in binary form.
enum DERBytes {
    /// The bytes of something, as one of OpenSSL's functions named `i2d_…` makes them.
    static func encoded(
        _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32
    ) -> [UInt8]? {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = encode(&bytes)
        guard count > 0, let bytes else { return nil }
        defer { CRYPTO_free(bytes, #file, #line) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }
}
