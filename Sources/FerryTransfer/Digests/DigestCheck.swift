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
