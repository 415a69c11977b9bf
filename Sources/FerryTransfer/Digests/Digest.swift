package import FerryHTTP
import FoundationEssentials

/// A hash value of some bytes, for comparison with others.
package struct Digest: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The hash functions, by their names in the registry of RFC 9530.
    package enum Algorithm: String, Hashable, Sendable, Codable, CaseIterable {
        /// SHA-512.
        case sha512 = "sha-512"
        /// SHA-256.
        case sha256 = "sha-256"
        /// SHA-1, which detects damage but not forgery.
        case sha1 = "sha"
        /// MD5, which detects damage but not forgery.
        case md5

        /// The number of bytes in a value.
        package var byteCount: Int {
            switch self {
            case .sha512: 64
            case .sha256: 32
            case .sha1: 20
            case .md5: 16
            }
        }

        /// The function that computes the value.
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
    /// The hash value; valid only with ``Algorithm/byteCount`` bytes.
    package var value: [UInt8]

    /// Makes a digest from its parts.
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

/// A digest and the bytes of a file that it covers.
package struct DigestCheck: Hashable, Sendable {
    /// The required digest.
    package var digest: Digest
    /// The bytes that the digest covers; `nil` for the whole file.
    package var range: Range<Int64>?
    /// Whether the app expects the digest; otherwise the server announced it.
    package var isExpected: Bool

    /// Makes a check.
    package init(_ digest: Digest, range: Range<Int64>? = nil, isExpected: Bool) {
        self.digest = digest
        self.range = range
        self.isExpected = isExpected
    }

    /// Returns a description of the mismatch with another digest.
    package func mismatch(_ value: [UInt8]) -> String {
        let found = Digest(digest.algorithm, value)
        let reference = isExpected ? "expected" : "announced by the server"
        return "the digest is \(found), and \(digest) was \(reference)"
    }
}

/// The digests in a `Repr-Digest` or `Content-Digest` field (RFC 9530).
package enum DigestField {
    /// Reads the digests of a field.
    ///
    /// The field is a dictionary of structured fields (RFC 9651 §3.2), in which one malformed member
    /// invalidates the whole. Of members with the same name, the last one counts.
    ///
    /// - Parameter values: The values of all lines of the field, in their order.
    /// - Returns: The digests of known functions, the strongest first; none if the field is malformed.
    package static func digests(in values: [String]) -> [Digest] {
        guard !values.isEmpty else { return [] }
        var digests: [Digest.Algorithm: Digest] = [:]
        var scanner = StructuredFieldScanner(values.joined(separator: ", "))
        guard let members = scanner.dictionaryOfByteSequences() else { return [] }
        for (name, text) in members {
            guard let algorithm = Digest.Algorithm(rawValue: name) else { continue }
            let bytes = text.flatMap { Data(base64Encoded: $0) }
            digests[algorithm] = bytes.flatMap { bytes in
                bytes.count == algorithm.byteCount ? Digest(algorithm, Array(bytes)) : nil
            }
        }
        return Digest.Algorithm.allCases.compactMap { digests[$0] }
    }
}

extension HTTPResponseHead {
    /// The digests of the whole representation that the server sent, the strongest first.
    package var representationDigests: [Digest] {
        DigestField.digests(in: fields.values(named: "Repr-Digest"))
    }

    /// The strongest digest of the whole representation that the server sent, if any.
    package var representationDigest: Digest? { representationDigests.first }

    /// The strongest digest of this response's body that the server sent, if any.
    package var contentDigest: Digest? {
        DigestField.digests(in: fields.values(named: "Content-Digest")).first
    }
}
