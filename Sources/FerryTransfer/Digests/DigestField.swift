package import FerryHTTP
import FoundationEssentials

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
