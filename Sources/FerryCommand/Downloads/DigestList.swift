import Ferry
import Foundation

/// The digests of files, as sha256sum(1) and its siblings write them: `SHA256SUMS`, `MD5SUMS`.
///
/// A line has a digest, one or two blanks or a blank and an asterisk, and the file's path; how many digits the digest has says
/// by which algorithm it is. Or it has `SHA256 (PATH) = DIGEST`. Other lines, such as those of a signature, are passed over.
struct DigestList: Hashable, Sendable {
    private struct Entry: Hashable {
        /// The parts of the path, the last one first.
        let path: [Substring]
        let digest: TransferOptions.Digest
    }

    /// The maximum size of a list in bytes.
    static let greatestByteCount = 64 << 20

    private static let lengths: [Int: TransferOptions.Digest.Algorithm] = [
        32: .md5, 40: .sha1, 64: .sha256, 128: .sha512,
    ]
    private static let tags: [Substring: TransferOptions.Digest.Algorithm] = [
        "MD5": .md5, "SHA1": .sha1, "SHA256": .sha256, "SHA512": .sha512,
    ]

    private var entries: [String: [Entry]] = [:]

    /// Reads a list.
    ///
    /// - Parameter bytes: The content.
    init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        for line in text.split(whereSeparator: \.isNewline).map(\.withoutByteOrderMark) {
            guard let (name, digest) = Self.ofGNU(line) ?? Self.ofBSD(line) else { continue }
            let path = Self.path(name)
            guard let last = path.first else { continue }
            entries[String(last), default: []].append(Entry(path: path, digest: digest))
        }
    }

    /// Whether it has no digest.
    var isEmpty: Bool { entries.isEmpty }

    /// Returns the digest of a file: of those whose last parts are the same the one with the most of them, and of these the
    /// one by the strongest algorithm.
    ///
    /// - Parameter path: The path of the file, such as that of a URL.
    /// - Returns: The digest; nil if the list has none of that name.
    func digest(of path: String) -> TransferOptions.Digest? {
        let wanted = Self.path(path[...])
        guard let name = wanted.first, let candidates = entries[String(name)] else { return nil }
        func rank(_ entry: Entry) -> (Int, Int) {
            let same = zip(entry.path, wanted).prefix { $0 == $1 }.count
            return (same == entry.path.count ? same : 0, entry.digest.algorithm.byteCount)
        }
        return candidates.max { rank($0) < rank($1) }?.digest
    }

    private static func path(_ text: Substring) -> [Substring] {
        text.split(separator: "/").filter { $0 != "." }.reversed()
    }

    private static func ofGNU(
        _ line: Substring
    ) -> (name: Substring, digest: TransferOptions.Digest)? {
        let digits = line.prefix(while: \.isHexDigit)
        let rest = line[digits.endIndex...]
        guard rest.first == " ", let algorithm = lengths[digits.utf8.count],
            let digest = TransferOptions.Digest(algorithm, hexadecimal: String(digits))
        else { return nil }
        let name = rest.dropFirst()
        return (name.first == " " || name.first == "*" ? name.dropFirst() : name, digest)
    }

    private static func ofBSD(
        _ line: Substring
    ) -> (name: Substring, digest: TransferOptions.Digest)? {
        guard let opening = line.firstRange(of: " ("), let closing = line.ranges(of: ") = ").last,
            opening.upperBound <= closing.lowerBound,
            let algorithm = tags[line[..<opening.lowerBound]]
        else { return nil }
        let digits = String(line[closing.upperBound...])
        return TransferOptions.Digest(algorithm, hexadecimal: digits)
            .map { (line[opening.upperBound..<closing.lowerBound], $0) }
    }
}
