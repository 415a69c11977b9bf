package import FerryHTTP
import FoundationEssentials

/// What a server says of its bytes in `Repr-Digest` or `Content-Digest` (RFC 9530).
package enum DigestField {
    /// Reads the digests of a field.
    ///
    /// The field is a dictionary of structured fields (RFC 9651 §3.2), of which a part that cannot be read
    /// spoils the whole. What is there twice counts as it is last.
    ///
    /// - Parameter values: The values of all lines of the field, in their order.
    /// - Returns: Those by functions that are known, the strongest first; none where the field is malformed.
    package static func digests(in values: [String]) -> [Digest] {
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
    /// The digests of the whole representation that the server tells, the strongest first.
    package var representationDigests: [Digest] {
        DigestField.digests(in: fields.values(named: "Repr-Digest"))
    }

    /// The strongest digest of the whole representation that the server tells, if any.
    package var representationDigest: Digest? { representationDigests.first }

    /// The strongest digest of this response's body that the server tells, if any.
    package var contentDigest: Digest? {
        DigestField.digests(in: fields.values(named: "Content-Digest")).first
    }
}
