package import FerryHTTP

/// The value of a hash function over bytes, which tells whether others are the same.
package struct Digest: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The hash functions, by their names in the registry of RFC 9530.
    package enum Algorithm: String, Hashable, Sendable, Codable, CaseIterable {
        /// SHA-512.
        case sha512 = "sha-512"
        /// SHA-256.
        case sha256 = "sha-256"
        /// SHA-1: it finds damage; forgeries it does not find.
        case sha1 = "sha"
        /// MD5: it finds damage; forgeries it does not find.
        case md5

        /// How many bytes its values have.
        package var byteCount: Int {
            switch self {
            case .sha512: 64
            case .sha256: 32
            case .sha1: 20
            case .md5: 16
            }
        }

        /// What computes it.
        package var function: MessageDigest {
            switch self {
            case .sha512: .sha512
            case .sha256: .sha256
            case .sha1: .sha1
            case .md5: .md5
            }
        }
    }

    /// The hash function.
    package var algorithm: Algorithm
    /// Its value; of ``Algorithm/byteCount`` bytes, or it is no one's.
    package var value: [UInt8]

    /// Makes a digest of its parts.
    package init(_ algorithm: Algorithm, _ value: [UInt8]) {
        self.algorithm = algorithm
        self.value = value
    }

    /// The algorithm's name and the value in hexadecimal digits, as `sha256sum` writes it.
    package var description: String {
        let digits = value.map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }
        return "\(algorithm.rawValue) \(digits.joined())"
    }
}

/// A digest, and the bytes of a file that it is of.
package struct DigestCheck: Hashable, Sendable {
    /// What the digest has to be.
    package var digest: Digest
    /// The bytes that it is of; `nil` for all of the file.
    package var range: Range<Int64>?
    /// Whether the app wants it; otherwise the server has promised it.
    package var isExpected: Bool

    /// Makes a check.
    package init(_ digest: Digest, range: Range<Int64>? = nil, isExpected: Bool) {
        self.digest = digest
        self.range = range
        self.isExpected = isExpected
    }

    /// What is wrong with a file whose digest is another one.
    package func mismatch(_ value: [UInt8]) -> String {
        let found = Digest(digest.algorithm, value)
        let reference = isExpected ? "expected" : "announced by the server"
        return "the digest is \(found), and \(digest) was \(reference)"
    }
}
